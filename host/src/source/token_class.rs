//! Classifies a token by what may follow it, to distinguish a division from a regular expression.
//!
//! Input: a word and the token before it. Output: its [`PrecedingToken`] class.

/// The class of the last token, as far as it matters for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrecedingToken {
    /// A value may follow.
    Operator,
    /// `=>`: a value or a function body follows.
    Arrow,
    /// `.` or `?.`: a name follows, even if it reads like a keyword.
    Dot,
    /// A value ended here.
    Operand,
    /// A `}`: the end of a block or of a value.
    Brace,
    /// A `>`: an operator, or the end of type arguments.
    Angle,
    /// A keyword that a value may follow.
    Keyword,
    /// `if`, `while`, `for` or `with`: a parenthesis with a statement after it follows.
    Header,
    /// A contextual keyword: a keyword in some places and a name in others.
    ContextualKeyword,
}

/// Reports whether a byte is part of a word or number.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'_' | b'$' | b'\\' | b'#')
}

/// Returns the class of a word, given the class of the token before it.
pub(super) fn classify(word: &[u8], before: PrecedingToken) -> PrecedingToken {
    if before == PrecedingToken::Dot {
        return PrecedingToken::Operand;
    }
    match word {
        b"if" | b"while" | b"for" | b"with" => PrecedingToken::Header,
        // `for await (`
        b"await" if before == PrecedingToken::Header => PrecedingToken::Header,
        b"await" | b"break" | b"case" | b"continue" | b"debugger" | b"default" | b"delete"
        | b"do" | b"else" | b"export" | b"extends" | b"finally" | b"in" | b"instanceof"
        | b"new" | b"return" | b"throw" | b"try" | b"typeof" | b"void" | b"yield" => {
            PrecedingToken::Keyword
        }
        b"of" | b"let" | b"static" | b"type" | b"declare" | b"abstract" | b"async" | b"get"
        | b"set" | b"as" | b"satisfies" | b"is" | b"keyof" | b"infer" | b"readonly" | b"unique"
        | b"asserts" => PrecedingToken::ContextualKeyword,
        _ => PrecedingToken::Operand,
    }
}

/// Reports whether a word can follow a value without starting a new statement.
pub(super) fn continues_statement(word: &[u8]) -> bool {
    matches!(
        word,
        b"as"
            | b"satisfies"
            | b"in"
            | b"instanceof"
            | b"of"
            | b"is"
            | b"extends"
            | b"implements"
            | b"from"
            | b"asserts"
            | b"keyof"
            | b"infer"
            | b"else"
            | b"catch"
            | b"finally"
            | b"while"
    )
}

/// Reports whether a word cannot occur in a list of types, so that a `<` before it was a
/// comparison.
pub(super) fn ends_type_list(word: &[u8]) -> bool {
    matches!(
        word,
        b"const"
            | b"let"
            | b"var"
            | b"return"
            | b"if"
            | b"for"
            | b"while"
            | b"switch"
            | b"case"
            | b"throw"
            | b"try"
            | b"export"
            | b"function"
            | b"class"
            | b"await"
            | b"break"
            | b"continue"
    )
}
