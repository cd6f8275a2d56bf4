// Counts how many iterations of a loop the driver allows an invocation.

@group(0) @binding(0) var<storage, read> wanted: array<u32>;
@group(0) @binding(1) var<storage, read_write> counted: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var count = 0u;
    for (var i = 0u; i < wanted[0]; i += 1u) { count += 1u; }
    counted[0] = count;
}
