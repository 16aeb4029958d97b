//! The values of an axis: [`AxisValue`], and the two macros that define axes and values.
//!
//! `axis_values!` makes an enum of the values of an axis, the default first; `profile!` makes the struct that holds one
//! value of each axis, and the table of the axes. A doc comment is written once and read twice: in the code and in the
//! table.

/// One value of an axis.
#[derive(Clone, Copy, Debug)]
pub struct AxisValue {
    /// The name, by which a flag or a file sets it.
    pub name: &'static str,
    /// What the service does with this value, in one sentence.
    pub description: &'static str,
}

/// The values of an axis, in the order of their names in [`Axis::values`].
pub(super) trait Values: Copy + Eq + 'static {
    const ALL: &'static [Self];
    const VALUES: &'static [AxisValue];
}

/// Makes an enum of the values of an axis; the first is the default.
macro_rules! axis_values {
    (
        $(#[doc = $about:literal])+
        $axis:ident {
            #[doc = $default_says:literal]
            $default:ident = $default_name:literal,
            $(#[doc = $says:literal] $value:ident = $name:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
        pub(in crate::service) enum $axis {
            #[doc = $default_says]
            #[default]
            $default,
            $(#[doc = $says] $value,)+
        }

        impl $crate::service::profile::axis_values::Values for $axis {
            const ALL: &'static [Self] = &[Self::$default, $(Self::$value),+];
            const VALUES: &'static [$crate::service::profile::axis_values::AxisValue] = &[
                $crate::service::profile::axis_values::AxisValue {
                    name: $default_name,
                    description: $default_says.trim_ascii(),
                },
                $($crate::service::profile::axis_values::AxisValue { name: $name, description: $says.trim_ascii() },)+
            ];
        }
    };
}

/// Makes [`Profile`] and [`AXES`](super::AXES) from lines `field: Values = "axis" in "gap"`.
macro_rules! profile {
    ($(#[doc = $says:literal] $field:ident: $values:ty = $name:literal in $gap:literal,)+) => {
        /// One value for each axis, and the clock.
        #[derive(Clone, Copy, Debug)]
        pub struct Profile {
            pub(in crate::service) clock: Clock,
            $(#[doc = $says] pub(in crate::service) $field: $values,)+
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
            description: $says.trim_ascii(),
            values: <$values as Values>::VALUES,
            set: |profile, index| profile.$field = <$values as Values>::ALL[index],
            index: |profile| {
                let mut all = <$values as Values>::ALL.iter();
                all.position(|value| *value == profile.$field).unwrap_or_default()
            },
        },)+];
    };
}

pub(super) use axis_values;
pub(super) use profile;
