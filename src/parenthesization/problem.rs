//! What a problem is to the engine: its leaves, its weights, and a few lines of WGSL, and of CUDA.

use super::value::Value;
use crate::error::{Error, Result};
use crate::kernels::parenthesization::CONSTANTS;

/// Whether the best cost is the least or the greatest.
///
/// ```
/// use swath::parenthesization::{Goal, MatrixChain, Problem, RnaFold};
///
/// assert_eq!((MatrixChain::GOAL, RnaFold::GOAL), (Goal::Least, Goal::Greatest));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// A minimum.
    Least,
    /// A maximum.
    Greatest,
}

impl Goal {
    /// Both.
    pub const ALL: [Goal; 2] = [Goal::Least, Goal::Greatest];

    /// The name: `"least"` or `"greatest"`.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Least => "least",
            Goal::Greatest => "greatest",
        }
    }
}

/// A recurrence over ranges `i..j` of leaves, half open as in Rust:
///
/// - `C[i][i+1] = leaf(i)`,
/// - `C[i][j]` is the best over `i < k < j` of `C[i][k] + C[k][j] + weight(i, k, j)`,
/// - and, where [`enclosure`](Self::enclosure) gives a weight, of `C[i+1][j-1]` plus that weight; an empty range costs
///   nothing.
///
/// [`Parenthesize`](super::Parenthesize) solves every such problem by every method on every device. It asks for positions up to
/// [`leaves`](Self::leaves) alone: beyond them the problems of this library panic, as a slice does. A
/// complete problem, merging runs of a file two by two, where a merge costs the length of what it makes:
///
/// ```
/// use swath::parenthesization::{Problem, Shader};
/// use swath::{Engine, Options, Parenthesize};
///
/// /// `ends[i]` is where run `i` starts.
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
    /// What costs are made of: `u64`, exact, or `f64`.
    type Value: Value;
    /// A minimum or a maximum.
    const GOAL: Goal = Goal::Least;
    /// What the leaves are called in messages, in the plural.
    const ITEMS: &'static str = "leaves";

    /// Number of leaves, at most 2^31.
    fn leaves(&self) -> usize;

    /// Cost of the range `i..i + 1`.
    fn leaf(&self, _i: usize) -> Self::Value {
        Self::Value::ZERO
    }

    /// What it costs to join `i..k` and `k..j`; [`Value::OVERFLOW`] where that does not fit.
    fn weight(&self, i: usize, k: usize, j: usize) -> Self::Value;

    /// What it costs to put leaf `i` and leaf `j - 1` around `i + 1..j - 1`, where that is allowed; only asked for where
    /// `j - i >= 2`.
    fn enclosure(&self, _i: usize, _j: usize) -> Option<Self::Value> {
        None
    }

    /// Whether [`enclosure`](Self::enclosure) is ever given.
    const ENCLOSES: bool = false;

    /// No weight and no enclosure is greater: it decides whether sums can pass the greatest value and have to be checked.
    fn greatest_weight(&self) -> Self::Value;

    /// The power of two that costs are counted in: real weights that are very great or very small are scaled by it, so that
    /// their products and squares neither overflow nor vanish. Everything that a problem gives is in this unit; answers are
    /// in ones again. Whole numbers are always counted in ones.
    fn unit(&self) -> i32 {
        0
    }

    /// The numbers that the WGSL and the CUDA read as `inputs`.
    fn inputs(&self) -> Vec<Self::Value>;

    /// The same weights in WGSL, and in CUDA where [`Shader::with_cuda`] adds that; `None` keeps the problem on the CPU.
    fn shader(&self) -> Option<Shader> {
        None
    }

    /// The dimensions, where the weight is `p[i] * p[k] * p[j]` and leaves are free: such problems have an O(n log n) method.
    fn dimensions(&self) -> Option<&[u64]> {
        None
    }

    /// Improves `best`, the costs of `i..j`, `i..j + 1`, ... by the splits `k`, `k + 1`, ...: `left[n]` is the cost of
    /// `i..k + n`, `right[n]` those of `k + n..j` on. Only called where no sum can overflow. The hot loop of the CPU code:
    /// worth writing anew where the weight allows a loop that the compiler can vectorise.
    #[inline(always)]
    fn relax<const N: usize>(
        &self,
        (i, k, j): (usize, usize, usize),
        left: [Self::Value; N],
        right: [&[Self::Value]; N],
        best: &mut [Self::Value],
    ) {
        let right = right.map(|row| &row[..best.len()]);
        for (place, best) in best.iter_mut().enumerate() {
            for n in 0..N {
                let cost = left[n]
                    .wrapping_plus(right[n][place])
                    .wrapping_plus(self.weight(i, k + n, j + place));
                *best = best_of::<Self>(*best, cost);
            }
        }
    }
}

/// A reference to a problem is that problem.
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
        range: (usize, usize, usize),
        left: [P::Value; N],
        right: [&[P::Value]; N],
        best: &mut [P::Value],
    ) {
        (**self).relax(range, left, right, best);
    }
}

/// A problem's weights in WGSL: the aliases `Outer` and `Inner` and the functions `leaf`, `outer`, `inner` and `weight`,
/// and where the problem encloses, `encloses(i, j) -> bool` and `enclosure(i, j) -> Value`. `weight(outer(i, j), inner(k))`
/// is the weight of a split, `outer` is computed once a range and `inner` once a split point. They may use `inputs:
/// array<Value>`, the constants named here, and of a `Value`: `value(u32)`, `low(Value)`, `plus`, `minus`, `times` and
/// `product(u32, u32)`, and of a real one `root(Value)`.
///
/// A text of one's own is validated before a device runs it, and runs with bounds and loops checked.
/// [`Error::InvalidShader`] has the message where it is refused.
///
/// WGSL is what the devices that wgpu drives read. A device of the interface `cuda` reads a text of its own language, which
/// [`with_cuda`](Self::with_cuda) adds, and refuses a shader without one: the engine then chooses the CPU's code, which solves the
/// problem from [`Problem::weight`] alone, unless that device was named.
#[derive(Clone, Debug)]
pub struct Shader {
    /// What labels call it; the stem of a part of the library.
    pub(crate) name: &'static str,
    /// The part for arithmetics whose factors hold every product that a cost can have in it: mostly the same.
    pub(crate) narrow: &'static str,
    pub(crate) text: Text,
    pub(crate) constants: Vec<(&'static str, u32)>,
}

/// Where the weights' text is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Text {
    /// In the library, whose indices stay within so many inputs for so many leaves.
    Part { leaves: usize, inputs: usize },
    /// Here: the WGSL, and the CUDA where there is one.
    Own {
        wgsl: &'static str,
        cuda: Option<&'static str>,
    },
}

impl Shader {
    /// The text, and what labels call it.
    pub fn new(name: &'static str, source: &'static str) -> Self {
        Self {
            name,
            narrow: name,
            text: Text::Own {
                wgsl: source,
                cuda: None,
            },
            constants: Vec::new(),
        }
    }

    /// Adds the same weights in CUDA C++, for devices of the interface `cuda`: `Outer` and `Inner` by `typedef` or `struct`, and the
    /// functions as in WGSL but that `leaf`, `outer`, `inner` and `encloses` take a `const Arguments& at` first, of which
    /// `inputs(at)` are the inputs. `Value`, `u32` and the functions of a `Value` are those of the WGSL, `DEVICE` stands before
    /// each function. A shader of the library keeps its own text.
    ///
    /// NVRTC compiles the text on the machine where it runs; without NVRTC the device refuses it. [`Error::InvalidShader`] has the
    /// compiler's message.
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
    /// // SAFETY: i and j are at most the number of leaves, which is one less than that of the inputs.
    /// let shader = unsafe {
    ///     shader.with_cuda(
    ///         "typedef Value Outer;
    ///          typedef u32 Inner;
    ///          DEVICE Value leaf(const Arguments& at, u32 i) { return value(0u); }
    ///          DEVICE Outer outer(const Arguments& at, u32 i, u32 j) { return minus(inputs(at)[j], inputs(at)[i]); }
    ///          DEVICE Inner inner(const Arguments& at, u32 k) { return k; }
    ///          DEVICE Value weight(Outer outer, Inner inner) { return outer; }",
    ///     )
    /// };
    /// # let _ = shader;
    /// ```
    ///
    /// # Safety
    /// Nothing checks what the text does: CUDA has no bounds checks, and a device's pointers may reach memory of the host. It may read
    /// `inputs(at)[n]` where `n` is less than the length of [`Problem::inputs`] and nothing else, for all `i < j` and `k` up to
    /// [`Problem::leaves`], whichever problem gives this shader; it writes to no memory, and ends.
    pub unsafe fn with_cuda(mut self, source: &'static str) -> Self {
        if let Text::Own { cuda, .. } = &mut self.text {
            *cuda = Some(source);
        }
        self
    }

    /// A part of the library, for so many leaves and inputs.
    pub(crate) fn part(stem: &'static str, leaves: usize, inputs: usize) -> Self {
        Self {
            name: stem,
            narrow: stem,
            text: Text::Part { leaves, inputs },
            constants: Vec::new(),
        }
    }

    /// Takes this part where a factor of the device holds every product that a cost can have in it.
    pub(crate) fn narrowed_to(mut self, stem: &'static str) -> Self {
        self.narrow = stem;
        self
    }

    /// Adds a `const NAME = value;` of type `u32`, for a text of one's own. The name is an identifier of ASCII letters, digits and single
    /// underscores that stands for nothing else in the kernels; [`Error::InvalidShader`] says where it is none.
    pub fn with_constant(mut self, name: &'static str, value: u32) -> Self {
        self.constants.push((name, value));
        self
    }

    /// Whether it is a caller's.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.text, Text::Own { .. })
    }

    /// Whether it is the library's as it was made and knows that these inputs are all it reads: a caller's problem may have borrowed it,
    /// and named constants of its own, which the library's parts have none of.
    pub(crate) fn is_made_for(&self, of_problem: u64, of_inputs: usize) -> bool {
        match self.text {
            Text::Part { leaves, inputs } => {
                self.constants.is_empty() && (leaves as u64, inputs) == (of_problem, of_inputs)
            }
            Text::Own { .. } => false,
        }
    }

    /// Whether a text can declare every constant: names become a part of it.
    ///
    /// # Errors
    /// [`Error::InvalidShader`].
    pub(crate) fn check_constants(&self) -> Result<()> {
        for (place, &(name, _)) in self.constants.iter().enumerate() {
            let reason = if !is_identifier(name) {
                format!(
                    "the constant {name:?} has to be an identifier of ASCII letters, digits and single underscores"
                )
            } else if CONSTANTS.contains(&name) {
                format!("the kernels have a constant {name} of their own: give yours another name")
            } else if self.constants[..place]
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

/// Whether WGSL and CUDA both take a name.
fn is_identifier(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let goes_on = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    begins && goes_on && name != "_" && !name.contains("__")
}

/// Whether `a` is strictly better than `b`.
#[inline(always)]
pub(crate) fn is_better<P: Problem + ?Sized>(a: P::Value, b: P::Value) -> bool {
    match P::GOAL {
        Goal::Least => a < b,
        Goal::Greatest => a > b,
    }
}

/// The better of both; `a` where they are equal.
#[inline(always)]
pub(crate) fn best_of<P: Problem + ?Sized>(a: P::Value, b: P::Value) -> P::Value {
    if is_better::<P>(b, a) { b } else { a }
}

/// What every cost is at least as good as.
pub(crate) fn worst<P: Problem + ?Sized>() -> P::Value {
    match P::GOAL {
        Goal::Least => P::Value::OVERFLOW,
        Goal::Greatest => P::Value::LOWEST,
    }
}

/// What no cost passes, where costs are whole numbers: a tree of n leaves has n - 1 splits and at most n / 2 enclosures.
pub(crate) fn greatest_cost<P: Problem>(problem: &P) -> u128 {
    let leaves = problem.leaves();
    let sum = (0..leaves).fold(0u128, |sum, i| sum.saturating_add(problem.leaf(i).wide()));
    sum.saturating_add(
        problem
            .greatest_weight()
            .wide()
            .saturating_mul(2 * leaves as u128),
    )
}

/// Whether a sum of weights can pass the greatest value.
pub(crate) fn may_overflow<P: Problem>(problem: &P) -> bool {
    passes::<P>(greatest_cost(problem))
}

/// Whether costs up to this one pass the greatest value.
pub(crate) fn passes<P: Problem>(greatest_cost: u128) -> bool {
    let limit = P::Value::OVERFLOW.wide();
    limit > 0 && greatest_cost >= limit
}

/// Refuses what is no weight.
pub(crate) fn check_weights<V: Value>(what: &str, weights: &[V]) -> Result<()> {
    match weights
        .iter()
        .position(|weight| !weight.is_weight() || weight.overflowed())
    {
        None => Ok(()),
        Some(place) => Err(Error::InvalidWeight {
            what: format!("{what} {}", place + 1),
            reason: format!("{} is no finite number from 0 on", weights[place]),
        }),
    }
}
