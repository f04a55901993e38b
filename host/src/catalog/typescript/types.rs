//! A type, before it is written down.

/// A TypeScript type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// Anything; a note says why, where something was cut off.
    Unknown(Option<&'static str>),
    /// Nothing at all.
    Never,
    /// A keyword, a literal, or the name of a type.
    Word(String),
    /// A list of one type.
    Array(Box<Type>),
    /// A list with a type for each place.
    Tuple(Vec<TupleElement>, Option<Box<Type>>),
    /// An object with fields, and a type for all other keys.
    Object(Vec<ObjectField>, Option<Box<Type>>),
    /// One of several; two or more.
    Union(Vec<Type>),
    /// All of several; two or more.
    Intersection(Vec<Type>),
}

/// One place of a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TupleElement {
    pub(super) kind: Type,
    pub(super) presence: FieldPresence,
}

/// One field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectField {
    /// As the schema has it, not yet quoted.
    pub(super) name: String,
    pub(super) kind: Type,
    pub(super) presence: FieldPresence,
    /// What is said of it, ready for a comment.
    pub(super) note: Option<String>,
}

/// Whether something must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldPresence {
    Required,
    Optional,
}

impl Type {
    /// Returns a keyword, a literal or a name.
    pub(super) fn word(text: impl Into<String>) -> Type {
        Type::Word(text.into())
    }

    /// Returns an object with any keys and values.
    pub(super) fn any_object() -> Type {
        Type::Object(Vec::new(), Some(Box::new(Type::Unknown(None))))
    }

    /// Returns whether the type says nothing that a reader could use.
    pub(super) fn says_nothing(&self) -> bool {
        match self {
            Type::Unknown(_) => true,
            Type::Object(fields, Some(index)) => fields.is_empty() && index.says_nothing(),
            _ => false,
        }
    }

    /// Returns the type of what is one of these.
    pub(super) fn union(members: impl IntoIterator<Item = Type>) -> Type {
        let mut flat: Vec<Type> = Vec::new();
        for member in members {
            match member {
                Type::Unknown(note) => return Type::Unknown(note),
                Type::Never => {}
                Type::Union(inner) => {
                    inner.into_iter().for_each(|one| push_new(&mut flat, one));
                }
                one => push_new(&mut flat, one),
            }
        }
        match flat.len() {
            0 => Type::Never,
            1 => flat.remove(0),
            _ => Type::Union(flat),
        }
    }

    /// Returns the type of what is all of these.
    pub(super) fn both(members: impl IntoIterator<Item = Type>) -> Type {
        let mut flat: Vec<Type> = Vec::new();
        let mut note = None;
        for member in members {
            match member {
                Type::Unknown(why) => note = note.or(why),
                Type::Never => return Type::Never,
                Type::Intersection(inner) => {
                    inner.into_iter().for_each(|one| push_new(&mut flat, one))
                }
                one => push_new(&mut flat, one),
            }
        }
        let mut flat = merge_objects(flat);
        match flat.len() {
            0 => Type::Unknown(note),
            1 => flat.remove(0),
            _ => Type::Intersection(flat),
        }
    }
}

fn push_new(types: &mut Vec<Type>, one: Type) {
    if !types.contains(&one) {
        types.push(one);
    }
}

/// Makes one object of objects that have no field in common: it reads better than `{ a } & { b }`.
fn merge_objects(types: Vec<Type>) -> Vec<Type> {
    let mut merged: Vec<Type> = Vec::new();
    for one in types {
        match (one, merged.last_mut()) {
            (Type::Object(fields, None), Some(Type::Object(before, None)))
                if fields.iter().all(|field| before.iter().all(|it| it.name != field.name)) =>
            {
                before.extend(fields);
            }
            (one, _) => merged.push(one),
        }
    }
    merged
}
