//! A Rust text as its names and signs, without comments and without what only tests have.

/// Names, `::`, and every other sign by itself; a string, a character or a lifetime is one sign.
pub fn of(text: &str) -> Vec<String> {
    let (mut rest, mut found) = (text, Vec::new());
    while !rest.is_empty() {
        let (token, behind) = rest.split_at(length(rest));
        if !token.starts_with(char::is_whitespace)
            && !token.starts_with("//")
            && !token.starts_with("/*")
        {
            found.push(token.to_string());
        }
        rest = behind;
    }
    found
}

/// Bytes of the first token.
fn length(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return comment(text);
    }
    if let Some(length) = string(text) {
        return length;
    }
    if let Some(length) = character(text) {
        return length;
    }
    let behind_name = |text: &str| {
        text.find(|letter| !is_of_name(letter))
            .unwrap_or(text.len())
    };
    match behind_name(text) {
        0 if text.starts_with("::") => 2,
        0 if text.starts_with('\'') => 1 + behind_name(&text[1..]),
        0 => first,
        name => name,
    }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// A comment that may have others in it.
fn comment(text: &str) -> usize {
    let (mut at, mut open) = (2, 1);
    while open > 0 && at < text.len() {
        match text.as_bytes()[at..] {
            [b'/', b'*', ..] => (at, open) = (at + 2, open + 1),
            [b'*', b'/', ..] => (at, open) = (at + 2, open - 1),
            _ => at += 1,
        }
    }
    at
}

/// A string, raw or not.
fn string(text: &str) -> Option<usize> {
    let plain = text.trim_start_matches(['b', 'c']);
    let prefix = text.len() - plain.len();
    if prefix > 1 {
        return None;
    }
    if let Some(raw) = plain.strip_prefix('r') {
        let inside = raw.trim_start_matches('#').strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(raw.len() - inside.len() - 1));
        return Some(
            text.len() - inside.len() + inside.find(&end).map_or(inside.len(), |at| at + end.len()),
        );
    }
    let inside = plain.strip_prefix('"')?;
    let mut escaped = false;
    let end = inside.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    Some(text.len() - inside.len() + end.map_or(inside.len(), |at| at + 1))
}

/// A character; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('b').unwrap_or(text).strip_prefix('\'')?;
    let mut letters = inside.char_indices();
    let (_, first) = letters.next()?;
    let end = if first == '\\' {
        2 + inside.get(2..)?.find('\'')?
    } else {
        letters.next()?.0
    };
    inside[end..]
        .starts_with('\'')
        .then(|| text.len() - inside.len() + end + 1)
}

/// The tokens without items that only tests have.
pub fn of_library(tokens: &[String]) -> Vec<String> {
    let (mut at, mut kept) = (0, Vec::new());
    while at < tokens.len() {
        let is_inner = tokens[at] == "#" && tokens.get(at + 1).is_some_and(|sign| sign == "!");
        let end = if tokens[at] == "#" {
            closed(tokens, at + 1 + usize::from(is_inner))
        } else {
            at + 1
        };
        if tokens[at] != "#" || !is_for_tests(&tokens[at..end]) {
            kept.extend_from_slice(&tokens[at..end]);
            at = end;
        } else if is_inner {
            return Vec::new();
        } else {
            at = behind_item(tokens, end);
        }
    }
    kept
}

/// Whether an attribute leaves its item out of the library.
fn is_for_tests(attribute: &[String]) -> bool {
    let has = |word: &str| attribute.iter().any(|token| token == word);
    has("cfg") && has("test") && !has("not") && !has("any")
}

/// Behind the bracket that closes the one at a place.
fn closed(tokens: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Behind the item that starts at a place, with its attributes.
fn behind_item(tokens: &[String], mut at: usize) -> usize {
    while at < tokens.len() {
        match tokens[at].as_str() {
            ";" => return at + 1,
            "{" => return closed(tokens, at),
            "(" | "[" => at = closed(tokens, at),
            _ => at += 1,
        }
    }
    at
}
