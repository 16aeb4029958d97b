//! The values of an axis: [`AxisValue`], and the two macros that define axes and values.
//!
//! `choice!` makes an enum of named values, the default first; `profile!` makes the struct that holds one value of each
//! axis, and the table of the axes. A doc comment is written once and read twice: in the code and in the table.

/// One value of an axis.
#[derive(Clone, Copy, Debug)]
pub struct AxisValue {
    /// The name, by which a flag or a file sets it.
    pub name: &'static str,
    /// What the service does with this value, in one sentence.
    pub says: &'static str,
}

/// The values of an axis, in the order of their names in [`Axis::values`].
pub(super) trait Values: Copy + Eq + 'static {
    const ALL: &'static [Self];
    const VALUES: &'static [AxisValue];
}

/// Makes an enum of named values; the first is the default.
macro_rules! choice {
    (
        $(#[doc = $about:literal])+
        $choice:ident {
            #[doc = $default_says:literal]
            $default:ident = $default_name:literal,
            $(#[doc = $says:literal] $value:ident = $name:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        pub(in crate::service) enum $choice {
            #[doc = $default_says]
            #[default]
            $default,
            $(#[doc = $says] $value,)+
        }

        impl $crate::service::profile::choice::Values for $choice {
            const ALL: &'static [Self] = &[Self::$default, $(Self::$value),+];
            const VALUES: &'static [$crate::service::profile::choice::AxisValue] = &[
                $crate::service::profile::choice::AxisValue { name: $default_name, says: $default_says.trim_ascii() },
                $($crate::service::profile::choice::AxisValue { name: $name, says: $says.trim_ascii() },)+
            ];
        }
    };
}

/// Makes [`Profile`] and [`AXES`](super::AXES) of lines `field: Choice = "axis" in "gap"`.
macro_rules! profile {
    ($(#[doc = $says:literal] $field:ident: $choice:ty = $name:literal in $gap:literal,)+) => {
        /// One value for each axis, and the clock.
        #[derive(Clone, Copy, Debug)]
        pub struct Profile {
            pub(in crate::service) clock: Clock,
            $(#[doc = $says] pub(in crate::service) $field: $choice,)+
        }

        impl Default for Profile {
            fn default() -> Self {
                Profile { clock: system_clock, $($field: Default::default(),)+ }
            }
        }

        /// Every axis, in the order of the table.
        pub const AXES: &[Axis] = &[$(Axis {
            name: $name,
            gap: $gap,
            says: $says.trim_ascii(),
            values: <$choice as Values>::VALUES,
            set: |profile, index| profile.$field = <$choice as Values>::ALL[index],
            index: |profile| {
                let mut all = <$choice as Values>::ALL.iter();
                all.position(|value| *value == profile.$field).unwrap_or_default()
            },
        },)+];
    };
}

pub(super) use choice;
pub(super) use profile;
