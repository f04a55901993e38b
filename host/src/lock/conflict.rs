//! Both sides of a lock in which git left the marks of a merge.

/// Reports whether a line is a mark of a merge.
pub(super) fn is_mark(line: &str) -> bool {
    ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].iter().any(|mark| {
        line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// Returns the text as each side has it, or `None` if there are no marks.
pub(super) fn sides(text: &str) -> Option<(String, String)> {
    enum Side {
        Both,
        Ours,
        Base,
        Theirs,
    }
    let (mut ours, mut theirs, mut side, mut found) =
        (String::new(), String::new(), Side::Both, false);
    for line in text.split_inclusive('\n') {
        let plain = line.trim_end_matches('\n');
        if is_mark(plain) {
            found = true;
            side = match &plain[..1] {
                "<" => Side::Ours,
                "|" => Side::Base,
                "=" => Side::Theirs,
                _ => Side::Both,
            };
            continue;
        }
        match side {
            Side::Both => {
                ours.push_str(line);
                theirs.push_str(line);
            }
            Side::Ours => ours.push_str(line),
            Side::Base => {}
            Side::Theirs => theirs.push_str(line),
        }
    }
    found.then_some((ours, theirs))
}
