//! The modules of a crate: what each declares, imports and names.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;

use crate::tokens;

/// A path, its names from the outside in; a module's begins with that of its crate.
pub type Path = Vec<String>;

/// `use <path> as <name>`, or all of a path's names.
struct Import {
    path: Path,
    name: Option<String>,
    /// Whether others see it here.
    is_shown: bool,
}

#[derive(Default)]
struct Module {
    file: String,
    children: BTreeSet<String>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths of more than one name in its code.
    named: Vec<Path>,
    /// Traits that are made true for types here.
    made_true: Vec<(Path, Path)>,
}

/// All modules of a crate.
pub struct House {
    root: String,
    modules: BTreeMap<Path, Module>,
}

/// A module that uses what another one declares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: Path,
    pub to: Path,
    pub file: String,
    /// The name by which it calls it.
    pub named: String,
}

/// Where a path leads.
enum Place {
    Module(Path),
    /// An item of this module.
    Item(Path),
}

impl House {
    /// The crate whose root is this file, with or without what only tests have; `read` has the text of a file.
    pub fn of(root_file: &str, with_tests: bool, read: &dyn Fn(&str) -> Option<String>) -> Self {
        let root = root_file.trim_end_matches(".rs").to_string();
        let mut house = Self {
            root: root.clone(),
            modules: BTreeMap::new(),
        };
        let mut files = vec![(vec![root], root_file.to_string())];
        while let Some((path, file)) = files.pop() {
            let text = read(&file).unwrap_or_else(|| panic!("no file '{file}'"));
            let all = tokens::of(&text);
            let tokens = if with_tests {
                all
            } else {
                tokens::of_library(&all)
            };
            let mut reader = Reader {
                house: &mut house,
                tokens: &tokens,
                at: 0,
                file: &file,
            };
            for child in reader.module(&path) {
                let folder = match file.rsplit_once('/') {
                    _ if path.len() == 1 => String::new(),
                    Some((folder, "mod.rs")) => format!("{folder}/"),
                    _ => format!("{}/", file.trim_end_matches(".rs")),
                };
                let places = [
                    format!("{folder}{child}.rs"),
                    format!("{folder}{child}/mod.rs"),
                ];
                let place = places.iter().find(|place| read(place).is_some());
                let place = place
                    .unwrap_or_else(|| panic!("'{file}' declares '{child}', which has no file"));
                files.push((child_of(&path, &child), place.clone()));
            }
        }
        house
    }

    pub fn files(&self) -> BTreeSet<String> {
        self.modules
            .values()
            .map(|module| module.file.clone())
            .collect()
    }

    /// Modules that have others in files below them: the name of each of these, and whether it is such a module, too.
    pub fn folders(&self) -> Vec<(String, Vec<(String, bool)>)> {
        let in_files = |path: &Path| {
            let children = self.modules[path]
                .children
                .iter()
                .map(|name| (name.clone(), child_of(path, name)));
            children
                .filter(|(_, child)| self.modules[child].file != self.modules[path].file)
                .collect::<Vec<_>>()
        };
        let all = self
            .modules
            .keys()
            .map(|path| (path.join("::"), in_files(path)));
        let parts = |(name, children): (String, Vec<(String, Path)>)| {
            (
                name,
                children
                    .into_iter()
                    .map(|(name, child)| (name, !in_files(&child).is_empty()))
                    .collect::<Vec<_>>(),
            )
        };
        all.filter(|(_, children)| !children.is_empty())
            .map(parts)
            .collect()
    }

    /// Every use of what another file declares. What a module shows of its own children is theirs: it is no use, and whoever takes
    /// it from there uses the child.
    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (path, module) in &self.modules {
            arrows.extend(
                module
                    .made_true
                    .iter()
                    .filter_map(|(of, by)| self.by_trait(path, of, by)),
            );
            let imports = module
                .imports
                .iter()
                .map(|import| (&import.path, import.is_shown));
            for (named, is_shown) in imports.chain(module.named.iter().map(|named| (named, false)))
            {
                let (to, is_module) = match self.resolved(path, named, 0) {
                    Some(Place::Module(to)) => (to, true),
                    Some(Place::Item(to)) => (to, false),
                    None => continue,
                };
                let (from, to) = (self.of_file(path), self.of_file(&to));
                let is_own = to.starts_with(&from);
                if from != to && !(is_shown && is_own) && !(is_module && from.starts_with(&to)) {
                    arrows.insert(Arrow {
                        from,
                        to,
                        file: module.file.clone(),
                        named: named.join("::"),
                    });
                }
            }
        }
        arrows
    }

    /// What stands with a trait uses what makes it true for a type that stands elsewhere, without a name for it.
    fn by_trait(&self, path: &Path, of: &Path, by: &Path) -> Option<Arrow> {
        let item = |named| match self.resolved(path, named, 0)? {
            Place::Item(module) => Some(self.of_file(&module)),
            Place::Module(_) => None,
        };
        let (from, by_file, to) = (item(of)?, item(by)?, self.of_file(path));
        let shared = from
            .iter()
            .zip(&to)
            .take_while(|(from, to)| from == to)
            .count();
        // With a type of its own part, or of another level, it is handed down by who names the type.
        let is_own = to.len() == shared || by_file.starts_with(&to[..=shared]);
        let is_elsewhere = !is_own && by_file.starts_with(&from[..shared]);
        let named = format!("{} for {}", of.join("::"), by.join("::"));
        is_elsewhere.then(|| Arrow {
            from,
            to,
            file: self.modules[path].file.clone(),
            named,
        })
    }

    /// The module that has a file of its own around this one.
    fn of_file(&self, path: &[String]) -> Path {
        let file = &self.modules[path].file;
        let outside = (1..path.len()).rev().map(|length| &path[..length]);
        outside
            .take_while(|outer| self.modules[*outer].file == *file)
            .last()
            .unwrap_or(path)
            .to_vec()
    }

    fn resolved(&self, from: &[String], named: &[String], depth: usize) -> Option<Place> {
        // Imports of each other's imports end somewhere.
        let (first, rest) = named.split_first().filter(|_| depth < 8)?;
        let start = match first.as_str() {
            "crate" => Place::Module(vec![self.root.clone()]),
            "self" => Place::Module(from.to_vec()),
            "super" => Place::Module(from[..from.len() - 1].to_vec()),
            name => self.member(from, name, depth)?,
        };
        rest.iter().try_fold(start, |place, name| match place {
            Place::Item(module) => Some(Place::Item(module)),
            Place::Module(module) if name == "super" => {
                Some(Place::Module(module[..module.len() - 1].to_vec()))
            }
            Place::Module(module) if name == "self" => Some(Place::Module(module)),
            Place::Module(module) => Some(
                self.member(&module, name, depth)
                    .unwrap_or(Place::Item(module)),
            ),
        })
    }

    fn member(&self, path: &[String], name: &str, depth: usize) -> Option<Place> {
        let module = &self.modules[path];
        if module.children.contains(name) {
            return Some(Place::Module(child_of(path, name)));
        }
        if module.items.contains(name) {
            return Some(Place::Item(path.to_vec()));
        }
        let named = module
            .imports
            .iter()
            .filter(|import| import.name.as_deref() == Some(name));
        let all = module
            .imports
            .iter()
            .filter(|import| import.name.is_none() && import.path[0] != name);
        let of_all =
            all.filter_map(
                |import| match self.resolved(path, &import.path, depth + 1)? {
                    Place::Module(module) if module != path => {
                        self.member(&module, name, depth + 1)
                    }
                    _ => None,
                },
            );
        named
            .filter_map(|import| self.resolved(path, &import.path, depth + 1))
            .chain(of_all)
            .next()
    }
}

fn child_of(path: &[String], name: &str) -> Path {
    path.iter().cloned().chain([name.to_string()]).collect()
}

/// Reads the modules of a file.
struct Reader<'a> {
    house: &'a mut House,
    tokens: &'a [String],
    at: usize,
    file: &'a str,
}

impl Reader<'_> {
    /// Reads to the end of a module; children that have files of their own.
    fn module(&mut self, path: &Path) -> Vec<String> {
        let mut module = Module {
            file: self.file.to_string(),
            ..Module::default()
        };
        let (mut files, mut depth, mut is_shown) = (Vec::new(), 0, false);
        while let Some(token) = self.tokens.get(self.at) {
            let next = self.tokens.get(self.at + 1).map_or("", String::as_str);
            let before = self
                .at
                .checked_sub(1)
                .map_or("", |before| self.tokens[before].as_str());
            self.at += 1;
            match token.as_str() {
                "{" => depth += 1,
                "}" if depth == 0 => break,
                "}" => depth -= 1,
                ";" => is_shown = false,
                "pub" => is_shown = true,
                "mod" if is_name(next) && depth == 0 => {
                    module.children.insert(next.to_string());
                    self.at += 2;
                    if self.tokens[self.at - 1] == ";" {
                        files.push(next.to_string());
                    } else {
                        self.module(&child_of(path, next));
                    }
                    is_shown = false;
                }
                "impl" if depth == 0 => {
                    module.made_true.extend(self.implementation());
                    is_shown = false;
                }
                "use" => {
                    let mut imports = Vec::new();
                    self.tree(&Vec::new(), &mut imports);
                    for (path, name) in imports {
                        module.imports.push(Import {
                            path,
                            name,
                            is_shown,
                        });
                    }
                    is_shown = false;
                }
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static"
                | "macro_rules"
                    if depth == 0 =>
                {
                    // Behind the name of a macro's kind stands a sign; a type of functions has no name.
                    let mut names = self.tokens[self.at..]
                        .iter()
                        .skip_while(|token| matches!(token.as_str(), "mut" | "!"));
                    module
                        .items
                        .extend(names.next().filter(|token| is_name(token)).cloned());
                    is_shown = false;
                }
                name if is_name(name) && next == "::" && before != "::" => {
                    let mut named = vec![name.to_string()];
                    while self.tokens.get(self.at).is_some_and(|sign| sign == "::") {
                        match self.tokens.get(self.at + 1) {
                            Some(name) if is_name(name) => named.push(name.clone()),
                            _ => break,
                        }
                        self.at += 2;
                    }
                    module.named.push(named);
                }
                _ => {}
            }
        }
        self.house.modules.insert(path.clone(), module);
        files
    }

    /// The trait and the type of an implementation, which is read for other names, too.
    fn implementation(&self) -> Option<(Path, Path)> {
        let mut tokens = self.tokens[self.at..].iter().map(String::as_str).peekable();
        generics(&mut tokens);
        let of = implemented(&mut tokens);
        let by = (tokens.next()? == "for").then(|| implemented(&mut tokens))?;
        (!of.is_empty() && !by.is_empty()).then_some((of, by))
    }

    /// What a tree of imports has, from its first name on; `None` is all.
    fn tree(&mut self, outer: &Path, found: &mut Vec<(Path, Option<String>)>) {
        let mut path = outer.clone();
        loop {
            let token = self
                .tokens
                .get(self.at)
                .map_or(";", String::as_str)
                .to_string();
            self.at += 1;
            match token.as_str() {
                "{" => {
                    while self.tokens[self.at] != "}" {
                        self.tree(&path, found);
                        self.at += usize::from(self.tokens[self.at] == ",");
                    }
                    self.at += 1;
                    return;
                }
                "*" => return found.push((path, None)),
                "::" if path.is_empty() => {
                    path.push("::".to_string()); // A crate of others.
                    continue;
                }
                "::" => continue,
                name => path.push(name.to_string()),
            }
            match self.tokens.get(self.at).map(String::as_str) {
                Some("::") => {}
                Some("as") => {
                    let name = self.tokens[self.at + 1].clone();
                    self.at += 2;
                    return found.push((path, Some(name)));
                }
                _ => {
                    let name = path.iter().rev().find(|name| *name != "self").cloned();
                    return found.push((path, name));
                }
            }
        }
    }
}

/// The path that an implementation goes on with, past its parameters.
fn implemented<'a>(tokens: &mut Peekable<impl Iterator<Item = &'a str>>) -> Path {
    let is_of_path = |token: &&str| *token == "::" || is_name(token) && *token != "for";
    let mut path = Path::new();
    while let Some(token) = tokens.next_if(is_of_path) {
        path.extend((token != "::").then(|| token.to_string()));
    }
    generics(tokens);
    path
}

/// Goes past parameters in angle brackets, where there are any.
fn generics<'a>(tokens: &mut Peekable<impl Iterator<Item = &'a str>>) {
    let (mut open, mut before) = (0, "");
    while let Some(token) = tokens.next_if(|token| open > 0 || *token == "<") {
        match token {
            "<" => open += 1,
            // Not the arrow of a function's type.
            ">" if before != "-" => open -= 1,
            _ => {}
        }
        before = token;
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && token
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
}
