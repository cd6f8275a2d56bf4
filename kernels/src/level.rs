//! SIMD levels: which vector instructions a CPU has.

use std::fmt;
use std::str::FromStr;

use fearless_simd::Level;

/// A set of vector instructions a kernel can be run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SimdLevel {
    /// 128-bit vectors of every x86-64.
    Sse2,
    /// 128-bit vectors, x86-64-v2.
    Sse42,
    /// 256-bit vectors, x86-64-v3.
    Avx2,
    /// 512-bit vectors, Ice Lake or Zen 4 and later.
    Avx512,
    /// 128-bit vectors of 64-bit ARM.
    Neon,
    /// No vector instructions known for this CPU.
    Portable,
}

impl SimdLevel {
    const ALL: [Self; 6] = [Self::Portable, Self::Neon, Self::Sse2, Self::Sse42, Self::Avx2, Self::Avx512];

    /// The levels this CPU has, weakest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|level| level.token().is_some()).collect()
    }

    /// The widest level this CPU has.
    #[must_use]
    pub fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Portable)
    }

    /// Whether this CPU has the level.
    #[must_use]
    pub fn is_available(self) -> bool {
        self.token().is_some()
    }

    /// The name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sse2 => "sse2",
            Self::Sse42 => "sse4.2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
            Self::Portable => "portable",
        }
    }

    /// How many playouts a kernel plays side by side at this level.
    #[must_use]
    pub const fn lanes(self) -> usize {
        match self {
            Self::Sse2 | Self::Sse42 | Self::Neon | Self::Portable => 4,
            Self::Avx2 => 8,
            Self::Avx512 => 16,
        }
    }

    /// Proof for the SIMD crate that the CPU has this level.
    pub(crate) fn token(self) -> Option<Level> {
        let best = Level::new();
        #[cfg(target_arch = "x86_64")]
        return match self {
            Self::Sse2 => best.as_sse2().map(Level::Sse2),
            Self::Sse42 => best.as_sse4_2().map(Level::Sse4_2),
            Self::Avx2 => best.as_avx2().map(Level::Avx2),
            Self::Avx512 => best.as_avx512().map(Level::Avx512),
            Self::Neon | Self::Portable => None,
        };
        #[cfg(target_arch = "aarch64")]
        return match self {
            Self::Neon => best.as_neon().map(Level::Neon),
            _ => None,
        };
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        return if self == Self::Portable { Some(best) } else { None };
    }
}

impl fmt::Display for SimdLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SimdLevel {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|level| level.name()).collect();
            format!("unknown SIMD level '{name}', expected one of {}", known.join(", "))
        })
    }
}
