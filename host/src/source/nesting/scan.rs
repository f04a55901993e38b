//! The scan: one pass over the text, with one level for each open bracket.

use super::super::program::Language;
use crate::source::token_class::{self, PrecedingToken};

/// Deepest nesting of brackets. Real code nests tens of levels; a guess costs time for each level
/// inside it.
const BRACKETS: usize = 200;
/// How often the parser may read a token again on average. Ordinary code stays far below one.
const REREADS: u64 = 4;
/// How many tokens the parser may read again in any text: about a tenth of a second.
const SPARE_REREADS: u64 = 1_000_000;
/// Most brackets inside the default values of possible parameters, which are inside a guess.
const GUESSES: usize = 16;
/// Most values inside possible type arguments: each may double the time to parse the text inside.
const DOUBLINGS: usize = 5;
/// How many tokens the parser may read again because of such values. It keeps what it allocates for
/// each until the end.
const DOUBLED_REREADS: u64 = 300_000;
/// Most `infer X extends` open at once: the parser reads each twice, with its constraint and
/// without.
const INFERS: u32 = 8;
/// Most bytes read in search of the end of regular expressions, for each byte of the text. An
/// ordinary text needs one.
const RESCANS: usize = 16;
/// Most possible doublings, counted without context in a text that can be read in two ways.
const BLIND_DOUBLINGS: usize = 8;

/// The position at which a text nests too deep, and the reason.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::source) struct NestingError {
    pub(in crate::source) offset: usize,
    pub(in crate::source) message: &'static str,
    pub(in crate::source) hint: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenBracket {
    /// `(`; `header` is true if it follows `if`, `while`, `for` or `with`.
    Paren {
        header: bool,
    },
    Bracket,
    Brace,
    /// `${` in a template.
    Hole,
}

#[derive(Default)]
struct NestingLevel {
    open: Option<OpenBracket>,
    /// Whether the current item contains a `?` that is followed by a value.
    conditional: bool,
    /// How many `=>` follow such a `?` in the current item.
    arrows: u32,
    /// How many `<` are open.
    angles: u32,
    /// Whether `extends` follows an open `<`, so that `?` and `:` may belong to a type.
    extends: bool,
    /// Whether this may be a list of parameters or a pattern.
    guessable: bool,
    /// Whether it may contain values, not only types: it is inside such a level and no `<` is open
    /// there.
    may_hold_values: bool,
    /// Whether the current item contains a `=`, so that a value follows even among types.
    assigning: bool,
    /// Whether a `<` after a value is open.
    doubling: bool,
    /// Whether it was opened after a `<` that follows a value.
    doubled: bool,
    /// Whether it was opened inside a guess.
    guessed: bool,
    /// How many `infer X extends` the current item contains.
    infers: u32,
}

/// The part of `infer X extends` that has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InferClause {
    No,
    Word,
    Name,
}

struct NestingScan<'t> {
    text: &'t [u8],
    at: usize,
    last: PrecedingToken,
    /// The last byte of the last token.
    previous: u8,
    levels: Vec<NestingLevel>,
    angles: u32,
    arrows: u32,
    tokens: u64,
    /// How many tokens the parser may read again after wrong guesses.
    rereads: u64,
    /// How many it may read again because of values inside possible type arguments.
    doubled_rereads: u64,
    guesses: usize,
    doublings: usize,
    ambiguous_slash: Option<usize>,
    infer: InferClause,
    infers: u32,
    rescanned: usize,
}

/// Checks how deep a text nests. Fails if parsing it could take too much time or stack.
pub(in crate::source) fn check(text: &str, language: Language) -> Result<(), NestingError> {
    let mut scan = NestingScan {
        text: text.as_bytes(),
        at: 0,
        last: PrecedingToken::Operator,
        previous: b';',
        levels: vec![NestingLevel { may_hold_values: true, ..NestingLevel::default() }],
        angles: 0,
        arrows: 0,
        tokens: 0,
        rereads: 0,
        doubled_rereads: 0,
        guesses: 0,
        doublings: 0,
        ambiguous_slash: None,
        infer: InferClause::No,
        infers: 0,
        rescanned: 0,
    };
    if text.starts_with("#!") {
        scan.skip_line();
    }
    let most_rescanned = text.len().saturating_mul(RESCANS);
    let mut line_ended = false;
    while let Some(byte) = scan.peek(0) {
        let start = scan.at;
        if let Some(ends_line) = scan.skip_trivia(text) {
            line_ended |= ends_line;
            continue;
        }
        scan.read_token(text, byte, line_ended);
        scan.previous = scan.text.get(scan.at.wrapping_sub(1)).copied().unwrap_or(b';');
        line_ended = false;
        if scan.levels.len() > BRACKETS {
            return Err(too_deep(start, "brackets are nested too deep"));
        }
        if scan.infers > INFERS {
            return Err(too_deep(start, "`infer … extends` is nested too deep"));
        }
        if scan.rescanned > most_rescanned {
            return Err(too_deep(start, "too many `/` without an end in one line"));
        }
        if scan.guesses > GUESSES {
            return Err(too_deep(start, "default values are nested too deep"));
        }
        scan.tokens += 1;
        scan.rereads += scan.guesses as u64;
        if language == Language::TypeScript {
            scan.rereads += u64::from(scan.angles) + u64::from(scan.arrows);
            scan.doubled_rereads += (1 << scan.doublings.min(DOUBLINGS)) - 1;
            if scan.doublings > DOUBLINGS || scan.doubled_rereads > DOUBLED_REREADS {
                return Err(too_deep(start, "`<` is nested too deep"));
            }
        }
        if scan.rereads > scan.tokens * REREADS + SPARE_REREADS {
            let message = if scan.guesses as u64 > u64::from(scan.angles.max(scan.arrows)) {
                "default values are nested too deep"
            } else if scan.arrows > scan.angles {
                "`? :` and `=>` are chained too long"
            } else {
                "`<` is nested too deep"
            };
            return Err(too_deep(start, message));
        }
        debug_assert!(scan.at > start, "each token is longer than nothing");
    }
    match scan.ambiguous_slash {
        Some(offset)
            if language == Language::TypeScript
                && blind_doublings(text.as_bytes()) > BLIND_DOUBLINGS =>
        {
            Err(NestingError {
                offset,
                message: "this `/` can be read in two ways",
                hint: "put the regular expression or the division in parentheses, or end the statement before with `;`",
            })
        }
        _ => Ok(()),
    }
}

/// Returns the first line end at or after an offset.
fn line_end(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += text.get(at..)?.iter().position(|byte| matches!(byte, b'\n' | b'\r' | 0xe2))?;
        // Line and paragraph separators end lines too.
        match text.get(at..) {
            Some([0xe2, 0x80, 0xa8 | 0xa9, ..] | [b'\n' | b'\r', ..]) => return Some(at),
            _ => at += 1,
        }
    }
}

fn too_deep(offset: usize, message: &'static str) -> NestingError {
    NestingError { offset, message, hint: "split it into named parts" }
}

/// Counts each `<` that is followed, after a name at most, by an opening bracket or another `<`. It
/// does not recognise strings and comments.
fn blind_doublings(text: &[u8]) -> usize {
    let mut count = 0;
    let mut open = false;
    for byte in text {
        match byte {
            b'<' => {
                count += usize::from(open);
                open = true;
            }
            b'(' | b'[' | b'{' | b'`' => {
                count += usize::from(open);
                open = false;
            }
            b';' | b')' | b'}' => open = false,
            _ => {}
        }
    }
    count
}

impl NestingScan<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n' && byte != b'\r') {
            self.at += 1;
        }
    }

    /// Skips white space or a comment, and returns whether it contains a line end. Returns `None`
    /// at any other token.
    fn skip_trivia(&mut self, text: &str) -> Option<bool> {
        match (self.peek(0)?, self.peek(1)) {
            (b'\n' | b'\r' | b' ' | b'\t' | 0x0b | 0x0c, _) => {
                let mut ends_line = false;
                while let Some(byte @ (b' ' | b'\n' | b'\r' | b'\t' | 0x0b | 0x0c)) = self.peek(0) {
                    ends_line |= matches!(byte, b'\n' | b'\r');
                    self.at += 1;
                }
                Some(ends_line)
            }
            (b'/', Some(b'/')) => {
                self.at = line_end(self.text, self.at).unwrap_or(self.text.len());
                Some(false)
            }
            (b'/', Some(b'*')) => {
                let rest = &text[self.at + 2..];
                let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
                let start = self.at;
                self.at += 2 + length;
                Some(line_end(&self.text[..self.at], start).is_some())
            }
            (0x80.., _) => {
                let c = text[self.at..].chars().next()?;
                let space = c.is_whitespace() || c == '\u{feff}';
                space.then(|| {
                    self.at += c.len_utf8();
                    matches!(c, '\u{2028}' | '\u{2029}')
                })
            }
            _ => None,
        }
    }

    fn read_token(&mut self, text: &str, byte: u8, line_end: bool) {
        if !token_class::is_word_byte(byte) {
            self.infer = InferClause::No;
        }
        match byte {
            b'"' | b'\'' => self.skip_string(byte),
            b'`' => {
                self.at += 1;
                self.skip_template();
            }
            b'/' => self.read_slash(line_end),
            b'(' => {
                let header = matches!(self.last, PrecedingToken::Header);
                self.open_bracket(OpenBracket::Paren { header });
            }
            b'[' => self.open_bracket(OpenBracket::Bracket),
            b'{' => self.open_bracket(OpenBracket::Brace),
            b')' | b']' | b'}' => self.close_bracket(byte),
            _ if token_class::is_word_byte(byte) => self.read_word(text),
            _ => self.read_operator(byte),
        }
    }

    fn open_bracket(&mut self, open: OpenBracket) {
        let guessable = match open {
            OpenBracket::Paren { header } => {
                !header && !matches!(self.last, PrecedingToken::Operand | PrecedingToken::Brace)
            }
            OpenBracket::Bracket | OpenBracket::Brace => self.last == PrecedingToken::Operator,
            OpenBracket::Hole => false,
        };
        let mut level = NestingLevel { open: Some(open), guessable, ..NestingLevel::default() };
        if let Some(outer) = self.levels.last() {
            // Among types, `[` may begin a computed name, which is a value.
            let names = open == OpenBracket::Bracket
                && outer.open == Some(OpenBracket::Brace)
                && !b":=|&<(?".contains(&self.previous);
            level.may_hold_values = names || (outer.has_values() && outer.angles == 0);
            level.guessed = outer.guessable && outer.has_values() && (outer.assigning || names);
            level.doubled = outer.doubling;
        }
        self.guesses += usize::from(level.guessed);
        self.doublings += usize::from(level.doubled);
        self.at += 1;
        self.last = PrecedingToken::Operator;
        self.levels.push(level);
    }

    fn close_bracket(&mut self, byte: u8) {
        self.at += 1;
        let closed = if self.levels.len() > 1 { self.levels.pop() } else { None };
        let open = closed.as_ref().and_then(|level| level.open);
        if let Some(level) = closed {
            self.angles -= level.angles;
            self.arrows -= level.arrows;
            self.infers -= level.infers;
            self.guesses -= usize::from(level.guessed);
            self.doublings -= usize::from(level.doubled);
        }
        match (byte, open) {
            (b'}', Some(OpenBracket::Hole)) => self.skip_template(),
            (b'}', _) => self.last = PrecedingToken::Brace,
            (b')', Some(OpenBracket::Paren { header: true })) => {
                self.last = PrecedingToken::Operator
            }
            _ => self.last = PrecedingToken::Operand,
        }
    }

    /// Skips template text up to its end or its next hole.
    fn skip_template(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.last = PrecedingToken::Operand;
                    return;
                }
                b'$' if self.peek(1) == Some(b'{') => {
                    self.at += 1;
                    self.open_bracket(OpenBracket::Hole);
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    fn skip_string(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.at += 2,
                // The string is not closed: the parser stops here too.
                b'\n' | b'\r' => break,
                _ => self.at += 1,
            }
            if byte == quote {
                break;
            }
        }
        self.last = PrecedingToken::Operand;
    }

    fn read_slash(&mut self, line_end: bool) {
        let end = self.regular_expression_end();
        let expression = match self.last {
            PrecedingToken::Operator
            | PrecedingToken::Arrow
            | PrecedingToken::Keyword
            | PrecedingToken::Header => true,
            PrecedingToken::Operand if !line_end => false,
            // After a block, a type or the end of a line it can be either.
            _ => {
                if end.is_some_and(|end| self.changes_scan(end)) {
                    self.ambiguous_slash.get_or_insert(self.at);
                }
                true
            }
        };
        match end {
            Some(end) if expression => {
                self.at = end;
                self.last = PrecedingToken::Operand;
            }
            _ => self.read_operator(b'/'),
        }
    }

    /// Reports whether the result of this scan depends on whether the text up to `end` is a regular
    /// expression.
    fn changes_scan(&self, end: usize) -> bool {
        let inside = &self.text[self.at + 1..end - 1];
        inside.iter().any(|byte| b"\"'`()[]{}\\".contains(byte))
            || matches!(self.text.get(end), Some(b'/' | b'*'))
    }

    fn regular_expression_end(&mut self) -> Option<usize> {
        let mut class = false;
        let mut at = self.at + 1;
        loop {
            self.rescanned += 1;
            match self.text.get(at)? {
                b'\n' | b'\r' => return None,
                b'\\' => at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return Some(at + 1),
                _ => {}
            }
            at += 1;
        }
    }

    fn read_word(&mut self, text: &str) {
        let start = self.at;
        while self.peek(0).is_some_and(token_class::is_word_byte) {
            // White space beyond ASCII ends a word.
            if self.text[self.at] >= 0x80
                && let Some(c) = text.get(self.at..).and_then(|rest| rest.chars().next())
            {
                if c.is_whitespace() || c == '\u{feff}' {
                    break;
                }
                self.at += c.len_utf8();
                continue;
            }
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        self.infer = match (self.infer, word) {
            (InferClause::Name, b"extends") => {
                self.infers += 1;
                if let Some(level) = self.levels.last_mut() {
                    level.infers += 1;
                }
                InferClause::No
            }
            (InferClause::Word, _) => InferClause::Name,
            (_, b"infer") => InferClause::Word,
            _ => InferClause::No,
        };
        let next = token_class::classify(word, self.last);
        // A word after an operand begins a new statement or member.
        if matches!(self.last, PrecedingToken::Operand | PrecedingToken::Brace)
            && !token_class::continues_statement(word)
        {
            self.end_item();
            self.end_angles();
        }
        if token_class::ends_type_list(word) {
            self.end_angles();
        }
        if word == b"extends"
            && let Some(level) = self.levels.last_mut()
        {
            level.extends |= level.angles > 0;
        }
        self.last = next;
    }

    fn read_operator(&mut self, byte: u8) {
        let next = self.peek(1);
        let mut length = 1;
        let mut last = PrecedingToken::Operator;
        match (byte, next) {
            (b'=', Some(b'>')) => {
                length = 2;
                last = PrecedingToken::Arrow;
                if let Some(level) = self.levels.last_mut()
                    && level.conditional
                {
                    level.arrows += 1;
                    self.arrows += 1;
                }
            }
            (b'=' | b'!', Some(b'=')) => {
                length = if self.peek(2) == Some(b'=') { 3 } else { 2 };
                self.end_angles();
            }
            (b'=', _) => {
                if let Some(level) = self.levels.last_mut() {
                    level.assigning = true;
                }
            }
            (b'?', Some(b'.')) => {
                length = 2;
                last = PrecedingToken::Dot;
            }
            (b'?', Some(b'?')) | (b'&', Some(b'&')) | (b'|', Some(b'|')) => {
                length = 2;
                self.end_angles();
            }
            (b'?', _) => self.read_question_mark(),
            // Outside brackets, a list of types has a `:` only in a conditional type.
            (b':', _) if !self.may_be_conditional_type() => self.end_angles(),
            (b'.', _) => last = PrecedingToken::Dot,
            (b';' | b',', _) => {
                self.end_item();
                if byte == b';' {
                    self.end_angles();
                }
            }
            (b'+' | b'-', Some(same)) if same == byte => {
                length = 2;
                last = if matches!(self.last, PrecedingToken::Operand | PrecedingToken::Brace) {
                    PrecedingToken::Operand
                } else {
                    PrecedingToken::Operator
                };
                self.end_angles();
            }
            (b'!', _) if matches!(self.last, PrecedingToken::Operand | PrecedingToken::Brace) => {
                last = PrecedingToken::Brace; // `a! / b` or `a⏎!/b/`: either way.
            }
            (b'<', Some(b'=')) => length = 2,
            (b'<', _) => self.open_angle(),
            (b'>', Some(b'=')) => length = 2,
            (b'>', _) => {
                self.close_angle();
                last = PrecedingToken::Angle;
            }
            (b'+' | b'*' | b'%' | b'^' | b'/' | b'~', _) => self.end_angles(),
            _ => {}
        }
        self.at += length;
        self.last = last;
    }

    /// Reads a `?`. It is the sign of an optional name before `:`, `,`, `=` and a closing bracket;
    /// before a value it belongs to a conditional expression or type.
    fn read_question_mark(&mut self) {
        let rest = &self.text[self.at + 1..];
        let next = rest.iter().find(|byte| !byte.is_ascii_whitespace()).copied().unwrap_or(b';');
        if b":,=;)]}".contains(&next) {
            return;
        }
        if let Some(level) = self.levels.last_mut() {
            level.conditional = true;
        }
        // Without `extends`, the parser reads no type beyond a `?` that a type or value follows.
        // Behind a comment or other white space it may be anything.
        let starts_value = next.is_ascii_alphanumeric() || b"_$\"'`({[-+~".contains(&next);
        let is_extends = next == b'e' && rest.trim_ascii_start().starts_with(b"extends");
        if starts_value && !is_extends && !self.may_be_conditional_type() {
            self.end_angles();
        }
    }

    fn may_be_conditional_type(&self) -> bool {
        self.levels.last().is_some_and(|level| level.extends)
    }

    fn end_item(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.arrows -= std::mem::take(&mut level.arrows);
            (level.conditional, level.assigning) = (false, false);
            self.infers -= std::mem::take(&mut level.infers);
        }
    }

    fn open_angle(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.doubling |= level.has_values();
            level.angles += 1;
            self.angles += 1;
        }
    }

    fn close_angle(&mut self) {
        if let Some(level) = self.levels.last_mut()
            && level.angles > 0
        {
            level.angles -= 1;
            level.doubling &= level.angles > 0;
            level.extends &= level.angles > 0;
            self.angles -= 1;
        }
    }

    fn end_angles(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.angles -= level.angles;
            (level.angles, level.doubling, level.extends) = (0, false, false);
        }
    }
}

impl NestingLevel {
    fn has_values(&self) -> bool {
        self.may_hold_values || self.assigning
    }
}
