//! Variables that decide which code a program loads or runs, and whom it trusts.
//!
//! Input: the name of an environment variable. Output: whether its value can make a program
//! load other code, run another program, fetch from elsewhere or trust another certificate.
//!
//! **Invariant:** upper and lower case count alike: some programs, and some systems, do not
//! distinguish them.

/// Names of such variables, in capitals.
const NAMES: &[&str] = &[
    // Where programs, libraries and start-up files are searched.
    "PATH",
    "PATHEXT",
    "COMSPEC",
    "SHELL",
    "ENV",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "ZDOTDIR",
    "PS4",
    "PROMPT_COMMAND",
    "IFS",
    "CDPATH",
    "FPATH",
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "TMPDIR",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "BROWSER",
    // glibc.
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "MALLOC_TRACE",
    "GLIBC_TUNABLES",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
    "LOCALDOMAIN",
    "RES_OPTIONS",
    "TZDIR",
    // Compilers and build tools that servers call.
    "CC",
    "CXX",
    "LD",
    "AR",
    "MAKEFLAGS",
    "MAKEFILES",
    "RUSTC",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "GOPATH",
    "GOROOT",
    "GOFLAGS",
    "GOPROXY",
    "GOENV",
    // Java and its build tools.
    "CLASSPATH",
    "JAVA_HOME",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "CATALINA_OPTS",
    // Lua, R, Julia, Erlang, PHP, .NET, OpenSSL and OpenSSH.
    "LUA_INIT",
    "LUA_PATH",
    "LUA_CPATH",
    "R_PROFILE",
    "R_PROFILE_USER",
    "R_ENVIRON",
    "R_ENVIRON_USER",
    "R_LIBS",
    "R_LIBS_USER",
    "ERL_LIBS",
    "ERL_FLAGS",
    "ERL_AFLAGS",
    "ERL_ZFLAGS",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "COR_PROFILER",
    "COR_PROFILER_PATH",
    "CORECLR_PROFILER",
    "CORECLR_PROFILER_PATH",
    "DOTNET_STARTUP_HOOKS",
    "DOTNET_ADDITIONAL_DEPS",
    "DOTNET_ROOT",
    "OPENSSL_CONF",
    "OPENSSL_CONF_INCLUDE",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SSH_AUTH_SOCK",
    // Browsers that servers drive.
    "CHROME_PATH",
    "CHROME_BIN",
    "CHROMIUM_PATH",
    "PUPPETEER_EXECUTABLE_PATH",
    // Proxies and certificates of connections.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "FTP_PROXY",
    "WS_PROXY",
    "WSS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "CURL_HOME",
    "REQUESTS_CA_BUNDLE",
    "AWS_CA_BUNDLE",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "WGETRC",
    "NETRC",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "KUBECONFIG",
    // Where settings of users and systems are searched.
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
];

/// Beginnings of such names, in capitals.
const BEGINNINGS: &[&str] = &[
    // The dynamic linkers of Linux and macOS, and functions that bash imports from its environment.
    "LD_",
    "DYLD_",
    "BASH_FUNC_",
    // JavaScript and its package managers.
    "NODE_",
    "NPM_",
    "NVM_",
    "YARN_",
    "PNPM_",
    "COREPACK_",
    "DENO_",
    "BUN_",
    "TS_NODE_",
    // Python and its package managers.
    "PYTHON",
    "PIP_",
    "PIPX_",
    "UV_",
    "POETRY_",
    "CONDA_",
    "VIRTUAL_ENV",
    // Perl, Ruby, Julia, Cargo.
    "PERL",
    "RUBY",
    "BUNDLE_",
    "GEM_",
    "JULIA_",
    "CARGO_",
    // Git runs the programs that these name.
    "GIT_",
    // Playwright chooses browsers and hosts by these.
    "PLAYWRIGHT_",
];

/// Endings of such names, in capitals, whatever they begin with.
const ENDINGS: &[&str] = &[
    "_PROXY",
    "_CA_BUNDLE",
    "_CA_CERTS",
    "_CA_FILE",
    "_CERT_FILE",
    "_EXECUTABLE_PATH",
    "_PRELOAD",
    "_LIBRARY_PATH",
    "_INDEX_URL",
    "_STARTUP_HOOKS",
];

/// Exceptions, in capitals: names that match above but decide nothing, and that honest projects set
/// beside their keys.
const HARMLESS: &[&str] = &[
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_USERNAME",
    "NODE_DEBUG",
    "NODE_ENV",
    "PYTHONASYNCIODEBUG",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
];

/// Endings of exceptions, in capitals: such variables hold a secret and decide nothing.
const HARMLESS_ENDINGS: &[&str] = &["_PASSWORD", "_TOKEN"];

/// Reports whether a variable of this name decides what a program loads, runs, fetches from or
/// trusts: `NODE_OPTIONS`, `PYTHONPATH`, `LD_PRELOAD`, `PATH`, `GIT_SSH_COMMAND`, `HTTPS_PROXY`.
pub fn steers_loading(name: &str) -> bool {
    let name = name.trim().to_ascii_uppercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if HARMLESS.contains(&name.as_str()) || ends(HARMLESS_ENDINGS) {
        return false;
    }
    NAMES.contains(&name.as_str())
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || ends(ENDINGS)
}

#[cfg(test)]
mod tests {
    use super::steers_loading;

    #[test]
    fn what_decides_what_is_loaded_is_known() {
        for name in [
            "PATH",
            "Path",
            "NODE_OPTIONS",
            "node_options",
            "NODE_PATH",
            "NODE_EXTRA_CA_CERTS",
            "NODE_TLS_REJECT_UNAUTHORIZED",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "PYTHONHOME",
            "PYTHONINSPECT",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "DYLD_INSERT_LIBRARIES",
            "BASH_ENV",
            "BASH_FUNC_ls%%",
            "ENV",
            "PERL5LIB",
            "PERL5OPT",
            "RUBYOPT",
            "RUBYLIB",
            "JAVA_TOOL_OPTIONS",
            "_JAVA_OPTIONS",
            "CLASSPATH",
            "GIT_SSH_COMMAND",
            "GIT_SSH",
            "GIT_CONFIG_KEY_0",
            "GIT_EXTERNAL_DIFF",
            "npm_config_registry",
            "NPM_CONFIG_USERCONFIG",
            "UV_INDEX_URL",
            "UV_DEFAULT_INDEX",
            "PIP_INDEX_URL",
            "PIP_CONFIG_FILE",
            "DENO_DIR",
            "https_proxy",
            "HTTP_PROXY",
            "ALL_PROXY",
            "SSL_CERT_FILE",
            "REQUESTS_CA_BUNDLE",
            " NODE_OPTIONS",
        ] {
            assert!(steers_loading(name), "{name}");
        }
    }

    #[test]
    fn other_variables_are_left_alone() {
        for name in [
            "",
            "GITHUB_TOKEN",
            "API_KEY",
            "DEBUG",
            "LOG_LEVEL",
            "PORT",
            "ENVIRONMENT",
            "APP_ENV",
            "MY_PATH",
            "PATHS",
            "DATABASE_URL",
            "OPENAI_API_KEY",
            "LANG",
            "GITLAB_TOKEN",
            "UVICORN_PORT",
            "NODEX",
            "NODE_ENV",
            "NPM_TOKEN",
            "PYTHONUNBUFFERED",
            "GIT_AUTHOR_NAME",
        ] {
            assert!(!steers_loading(name), "{name}");
        }
    }
}
