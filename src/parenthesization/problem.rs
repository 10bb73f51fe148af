//! Problem definitions: leaves, weights, and their WGSL and CUDA text.

use super::value::Value;
use crate::error::{Error, Result};
use crate::kernels::parenthesization::CONSTANTS;

/// Split of the range `i..j` at `k`.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// First leaf.
    pub i: usize,
    /// First leaf of the right part.
    pub k: usize,
    /// End of the leaves, exclusive.
    pub j: usize,
}

/// Direction of the optimization.
///
/// ```
/// use swath::parenthesization::{Goal, MatrixChain, Problem, RnaFold};
///
/// assert_eq!((MatrixChain::GOAL, RnaFold::GOAL), (Goal::Least, Goal::Greatest));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// Minimize the cost.
    Least,
    /// Maximize the cost.
    Greatest,
}

/// A recurrence over half-open ranges `i..j` of leaves:
///
/// - `C[i][i+1] = leaf(i)`,
/// - `C[i][j]` is the best over `i < k < j` of `C[i][k] + C[k][j] + weight(i, k, j)`,
/// - and of `C[i+1][j-1]` plus the [`enclosure`](Self::enclosure) weight, if there is one; an empty
///   range costs zero.
///
/// [`Parenthesize`](super::Parenthesize) solves every problem by every method on every device. It
/// passes positions up to [`leaves`](Self::leaves) only; beyond them the problems of this library
/// panic like a slice index. A complete example merges adjacent runs of a file, where a merge costs
/// the length of its result:
///
/// ```
/// use swath::parenthesization::{Problem, Shader};
/// use swath::{Engine, Options, Parenthesize};
///
/// /// `ends[i]` is the start of run `i`.
/// struct Merges {
///     ends: Vec<u64>,
/// }
///
/// impl Problem for Merges {
///     type Value = u64;
///     const ITEMS: &'static str = "runs";
///
///     fn leaves(&self) -> usize {
///         self.ends.len() - 1
///     }
///
///     fn weight(&self, i: usize, _k: usize, j: usize) -> u64 {
///         self.ends[j] - self.ends[i]
///     }
///
///     fn greatest_weight(&self) -> u64 {
///         self.ends[self.leaves()]
///     }
///
///     fn inputs(&self) -> Vec<u64> {
///         self.ends.clone()
///     }
///
///     fn shader(&self) -> Option<Shader> {
///         Some(Shader::new(
///             "merges",
///             "alias Outer = Value;
///              alias Inner = u32;
///              fn leaf(i: u32) -> Value { return value(0u); }
///              fn outer(i: u32, j: u32) -> Outer { return minus(inputs[j], inputs[i]); }
///              fn inner(k: u32) -> Inner { return k; }
///              fn weight(outer: Outer, inner: Inner) -> Value { return outer; }",
///         ))
///     }
/// }
///
/// let merges = Merges { ends: vec![0, 30, 35, 40, 90] };
/// let report = Engine::new(Options::default())?.run(&Parenthesize::of(&merges))?;
/// assert_eq!(report.cost, 10 + 40 + 90);
/// # Ok::<(), swath::Error>(())
/// ```
pub trait Problem: Send + Sync {
    /// Type of the costs: `u64` (exact) or `f64`.
    type Value: Value;
    /// Direction of the optimization.
    const GOAL: Goal = Goal::Least;
    /// Plural noun for the leaves in error messages.
    const ITEMS: &'static str = "leaves";

    /// Number of leaves, less than 2^31.
    fn leaves(&self) -> usize;

    /// Cost of the range `i..i + 1`.
    fn leaf(&self, _i: usize) -> Self::Value {
        Self::Value::ZERO
    }

    /// Cost of joining `i..k` and `k..j`; [`Value::OVERFLOW`] if it does not fit.
    fn weight(&self, i: usize, k: usize, j: usize) -> Self::Value;

    /// Cost of pairing leaf `i` with leaf `j - 1` around `i + 1..j - 1`; `None` if they cannot
    /// pair. Called for `j - i >= 2` only.
    fn enclosure(&self, _i: usize, _j: usize) -> Option<Self::Value> {
        None
    }

    /// Whether [`enclosure`](Self::enclosure) ever returns a weight.
    const ENCLOSES: bool = false;

    /// Upper bound of all weights and enclosures. Decides whether sums can overflow and must be
    /// checked.
    fn greatest_weight(&self) -> Self::Value;

    /// Binary exponent of the unit of costs. Very large or very small real weights are scaled by
    /// it, so that products and squares neither overflow nor underflow. All values of the problem
    /// are in this unit; answers are converted back. Always 0 for integers.
    fn unit(&self) -> i32 {
        0
    }

    /// The numbers that WGSL and CUDA read as `inputs`.
    fn inputs(&self) -> Vec<Self::Value>;

    /// The weights in WGSL; `None` keeps the problem on the CPU.
    fn shader(&self) -> Option<Shader> {
        None
    }

    /// The dimensions `p`, if the weight is `p[i] * p[k] * p[j]` and leaves cost zero: such
    /// problems have an O(n log n) method.
    fn dimensions(&self) -> Option<&[u64]> {
        None
    }

    /// Relaxes `best`, the costs of `i..j`, `i..j + 1`, ..., by the splits `k`, `k + 1`, ...:
    /// `left[n]` is the cost of `i..k + n`, `right[n]` are the costs of `k + n..j` and on. Called
    /// only if no sum can overflow. The hot loop on the CPU: override it if the weight allows a
    /// loop that the compiler vectorizes.
    #[inline(always)]
    fn relax<const N: usize>(
        &self,
        Split { i, k, j }: Split,
        left: [Self::Value; N],
        right: [&[Self::Value]; N],
        best: &mut [Self::Value],
    ) {
        let right = right.map(|row| &row[..best.len()]);
        for (index, best) in best.iter_mut().enumerate() {
            for n in 0..N {
                let cost = left[n]
                    .wrapping_plus(right[n][index])
                    .wrapping_plus(self.weight(i, k + n, j + index));
                *best = best_of::<Self>(*best, cost);
            }
        }
    }
}

impl<P: Problem> Problem for &P {
    type Value = P::Value;
    const GOAL: Goal = P::GOAL;
    const ITEMS: &'static str = P::ITEMS;
    const ENCLOSES: bool = P::ENCLOSES;

    fn leaves(&self) -> usize {
        (**self).leaves()
    }

    #[inline(always)]
    fn leaf(&self, i: usize) -> P::Value {
        (**self).leaf(i)
    }

    #[inline(always)]
    fn weight(&self, i: usize, k: usize, j: usize) -> P::Value {
        (**self).weight(i, k, j)
    }

    #[inline(always)]
    fn enclosure(&self, i: usize, j: usize) -> Option<P::Value> {
        (**self).enclosure(i, j)
    }

    fn greatest_weight(&self) -> P::Value {
        (**self).greatest_weight()
    }

    fn unit(&self) -> i32 {
        (**self).unit()
    }

    fn inputs(&self) -> Vec<P::Value> {
        (**self).inputs()
    }

    fn shader(&self) -> Option<Shader> {
        (**self).shader()
    }

    fn dimensions(&self) -> Option<&[u64]> {
        (**self).dimensions()
    }

    #[inline(always)]
    fn relax<const N: usize>(
        &self,
        split: Split,
        left: [P::Value; N],
        right: [&[P::Value]; N],
        best: &mut [P::Value],
    ) {
        (**self).relax(split, left, right, best);
    }
}

/// Weights of a problem in WGSL.
///
/// The text defines the aliases `Outer` and `Inner` and the functions `leaf`, `outer`, `inner` and
/// `weight`; problems with enclosures also `encloses(i, j) -> bool` and `enclosure(i, j) -> Value`.
/// The weight of a split is `weight(outer(i, j), inner(k))`: `outer` is computed once per range,
/// `inner` once per split point. Available are `inputs: array<Value>`, the constants of
/// [`with_constant`](Self::with_constant), and the `Value` functions `value(u32)`, `low(Value)`,
/// `plus`, `minus`, `times`, `product(u32, u32)`, and `root(Value)` for real values.
///
/// User shaders are validated before a device runs them, and run with bounds and loop checks. A
/// rejected shader returns [`Error::InvalidShader`] with the message.
///
/// Devices of every interface run the WGSL; those of the interface `cuda` translate it, which needs
/// NVRTC. Without NVRTC the engine falls back to the CPU, which needs [`Problem::weight`] only,
/// unless the CUDA device was requested by name. [`unchecked`](Self::unchecked) has it run there
/// without checks.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Label; for a part of the library, its file stem.
    pub(crate) name: &'static str,
    /// Stem of the variant for arithmetics in which every product of a cost fits one factor; often
    /// equal to `name`.
    pub(crate) narrow: &'static str,
    pub(crate) text: Text,
    pub(crate) constants: Vec<(&'static str, u32)>,
    /// Why single precision cannot hold the weights.
    pub(crate) no_single: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    /// A part of the library. Its reads stay within `inputs` inputs for `leaves` leaves.
    Library { leaves: usize, inputs: usize },
    /// The WGSL of a user.
    User {
        wgsl: &'static str,
        /// True if the user vouches for it.
        unchecked: bool,
    },
}

impl Shader {
    /// A user shader with its label.
    pub fn new(name: &'static str, source: &'static str) -> Self {
        Self {
            name,
            narrow: name,
            text: Text::User {
                wgsl: source,
                unchecked: false,
            },
            constants: Vec::new(),
            no_single: None,
        }
    }

    /// Runs without checks of bounds and loops on devices of the interface `cuda`, as the library's
    /// own weights do, several times as fast. Devices of other interfaces check as before. Shaders
    /// of the library are unaffected.
    ///
    /// ```
    /// use swath::parenthesization::Shader;
    ///
    /// let shader = Shader::new(
    ///     "merges",
    ///     "alias Outer = Value;
    ///      alias Inner = u32;
    ///      fn leaf(i: u32) -> Value { return value(0u); }
    ///      fn outer(i: u32, j: u32) -> Outer { return minus(inputs[j], inputs[i]); }
    ///      fn inner(k: u32) -> Inner { return k; }
    ///      fn weight(outer: Outer, inner: Inner) -> Value { return outer; }",
    /// );
    /// // SAFETY: i and j are at most the number of leaves, one less than the number of inputs.
    /// let shader = unsafe { shader.unchecked() };
    /// # let _ = shader;
    /// ```
    ///
    /// # Safety
    /// CUDA has no bounds checks, and device pointers may reach host memory. For all `i < j` and
    /// `k` up to [`Problem::leaves`] of every problem that uses this shader, the text may only read
    /// `inputs[n]` with `n` less than the length of [`Problem::inputs`], must not write to memory,
    /// and must terminate.
    pub unsafe fn unchecked(mut self) -> Self {
        if let Text::User { unchecked, .. } = &mut self.text {
            *unchecked = true;
        }
        self
    }

    /// A part of the library, valid for `leaves` leaves and `inputs` inputs.
    pub(crate) fn library(stem: &'static str, leaves: usize, inputs: usize) -> Self {
        Self {
            name: stem,
            narrow: stem,
            text: Text::Library { leaves, inputs },
            constants: Vec::new(),
            no_single: None,
        }
    }

    /// Sets the variant for arithmetics in which every product of a cost fits one factor.
    pub(crate) fn with_narrow(mut self, stem: &'static str) -> Self {
        self.narrow = stem;
        self
    }

    /// Refuses single precision, for this reason.
    pub(crate) fn without_single(mut self, reason: &'static str) -> Self {
        self.no_single = Some(reason);
        self
    }

    /// Adds a `const NAME = value;` of type `u32` to a user shader. The name must be an identifier
    /// of ASCII letters, digits and single underscores that is unused in the kernels; otherwise the
    /// call fails with [`Error::InvalidShader`].
    pub fn with_constant(mut self, name: &'static str, value: u32) -> Self {
        self.constants.push((name, value));
        self
    }

    /// Returns `true` if it is a user shader.
    pub(crate) fn is_user(&self) -> bool {
        matches!(self.text, Text::User { .. })
    }

    /// Returns `true` if it is an unmodified shader of the library for exactly these inputs. A user
    /// problem may have borrowed it, or added constants, which the library's parts have none of.
    pub(crate) fn is_library_for(&self, of_problem: u64, of_inputs: usize) -> bool {
        match self.text {
            Text::Library { leaves, inputs } => {
                self.constants.is_empty() && (leaves as u64, inputs) == (of_problem, of_inputs)
            }
            Text::User { .. } => false,
        }
    }

    /// Checks that every constant can be declared.
    pub(crate) fn check_constants(&self) -> Result<()> {
        for (index, &(name, _)) in self.constants.iter().enumerate() {
            let reason = if !is_identifier(name) {
                format!(
                    "the constant {name:?} has to be an identifier of ASCII letters, digits and \
                     single underscores"
                )
            } else if CONSTANTS.contains(&name) {
                format!("the kernels have a constant {name} of their own: give yours another name")
            } else if self.constants[..index]
                .iter()
                .any(|(before, _)| *before == name)
            {
                format!("there are two constants {name}: give one of them another name")
            } else {
                continue;
            };
            return Err(Error::InvalidShader {
                name: self.name,
                reason,
            });
        }
        Ok(())
    }
}

/// Returns `true` if a name is valid in both WGSL and CUDA.
fn is_identifier(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let goes_on = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    begins && goes_on && name != "_" && !name.contains("__")
}

#[inline(always)]
pub(crate) fn is_better<P: Problem + ?Sized>(a: P::Value, b: P::Value) -> bool {
    match P::GOAL {
        Goal::Least => a < b,
        Goal::Greatest => a > b,
    }
}

/// The better of both; `a` on a tie.
#[inline(always)]
pub(crate) fn best_of<P: Problem + ?Sized>(a: P::Value, b: P::Value) -> P::Value {
    if is_better::<P>(b, a) { b } else { a }
}

/// Neutral element of [`best_of`].
pub(crate) fn worst<P: Problem + ?Sized>() -> P::Value {
    match P::GOAL {
        Goal::Least => P::Value::OVERFLOW,
        Goal::Greatest => P::Value::LOWEST,
    }
}

/// Upper bound of integer costs: a tree of n leaves has n - 1 splits and at most n / 2 enclosures.
pub(crate) fn max_cost<P: Problem>(problem: &P) -> u128 {
    let leaves = problem.leaves();
    let sum = (0..leaves).fold(0u128, |sum, i| sum.saturating_add(problem.leaf(i).wide()));
    sum.saturating_add(
        problem
            .greatest_weight()
            .wide()
            .saturating_mul(2 * leaves as u128),
    )
}

/// Returns `true` if a sum of weights can overflow.
pub(crate) fn may_overflow<P: Problem>(problem: &P) -> bool {
    can_overflow::<P>(max_cost(problem))
}

/// Returns `true` if costs up to `max_cost` can overflow.
pub(crate) fn can_overflow<P: Problem>(max_cost: u128) -> bool {
    let limit = P::Value::OVERFLOW.wide();
    limit > 0 && max_cost >= limit
}

/// Checks that all weights are finite and not negative.
pub(crate) fn check_weights<V: Value>(what: &str, weights: &[V]) -> Result<()> {
    match weights
        .iter()
        .position(|weight| !weight.is_weight() || weight.overflowed())
    {
        None => Ok(()),
        Some(index) => Err(Error::InvalidWeight {
            what: format!("{what} {}", index + 1),
            reason: if weights[index].overflowed() && !V::REAL {
                format!("{} is too large; scale the weights down", weights[index])
            } else {
                format!("{} is no finite number from 0 on", weights[index])
            },
        }),
    }
}
