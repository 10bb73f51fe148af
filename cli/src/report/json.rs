//! JSON objects, written field by field.

use std::io::{self, BufWriter, Write};

use serde::{Serialize, Serializer};

/// Buffer size in bytes, as JSON is written in small pieces.
const BUFFER: usize = 1 << 16;

/// A JSON object on a line. The first failed write ends it, and [`end`](Self::end) reports it.
pub struct Object<'a> {
    out: BufWriter<&'a mut dyn Write>,
    separator: &'static str,
    written: io::Result<()>,
}

impl<'a> Object<'a> {
    pub fn new(schema: &str, out: &'a mut dyn Write) -> Self {
        let mut object = Self {
            out: BufWriter::with_capacity(BUFFER, out),
            separator: "{",
            written: Ok(()),
        };
        object.field("schema", format!("swath/{schema}"));
        object
    }

    pub fn field(&mut self, key: &str, value: impl Serialize) -> &mut Self {
        self.key(key);
        self.put(|out| Ok(serde_json::to_writer(out, &value)?));
        self
    }

    /// Adds the field if it has a value.
    pub fn field_if(&mut self, key: &str, value: Option<impl Serialize>) -> &mut Self {
        match value {
            Some(value) => self.field(key, value),
            None => self,
        }
    }

    pub fn object(&mut self, key: &str, write: impl FnOnce(&mut Self) -> &mut Self) -> &mut Self {
        self.key(key);
        self.nested(write);
        self
    }

    pub fn objects<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> &mut Self,
    ) -> &mut Self {
        self.key(key);
        let mut bracket = "[";
        for item in items {
            self.text(bracket);
            self.nested(|object| write(object, item));
            bracket = ",";
        }
        self.text(if bracket == "[" { "[]" } else { "]" });
        self
    }

    /// Ends the object and its line.
    pub fn end(&mut self) -> io::Result<()> {
        self.text("}\n");
        std::mem::replace(&mut self.written, Ok(()))?;
        self.out.flush()
    }

    fn key(&mut self, key: &str) {
        let separator = std::mem::replace(&mut self.separator, ",");
        self.put(|out| write!(out, "{separator}\"{key}\":"));
    }

    fn nested(&mut self, write: impl FnOnce(&mut Self) -> &mut Self) {
        self.separator = "{";
        write(self).text("}");
        self.separator = ",";
    }

    fn text(&mut self, text: &str) {
        self.put(|out| out.write_all(text.as_bytes()));
    }

    fn put(&mut self, write: impl FnOnce(&mut BufWriter<&'a mut dyn Write>) -> io::Result<()>) {
        if self.written.is_ok() {
            self.written = write(&mut self.out);
        }
    }
}

pub struct Array<F>(pub F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Array<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}
