"""Variables that a command cannot be given."""

import pytest

from oneclaw.guard.command.variables import refused_variables


@pytest.mark.parametrize(
    "name",
    """
    PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_ANYTHING DYLD_INSERT_LIBRARIES BASH_ENV ENV SHELLOPTS
    BASHOPTS IFS PS4 PROMPT_COMMAND CDPATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT
    NODE_OPTIONS NODE_PATH PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB GIT_SSH_COMMAND GIT_SSH
    GIT_EXTERNAL_DIFF GIT_PAGER GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_EXEC_PATH JAVA_TOOL_OPTIONS
    _JAVA_OPTIONS JDK_JAVA_OPTIONS DOTNET_STARTUP_HOOKS COMPlus_EnableDiagnostics CORECLR_PROFILER
    COR_PROFILER LUA_INIT LUA_INIT_5_4 PHPRC PHP_INI_SCAN_DIR GCONV_PATH GLIBC_TUNABLES EDITOR PAGER
    LESSOPEN MANPAGER SSH_ASKPASS HOME ZDOTDIR HTTP_PROXY https_proxy path SSL_CERT_FILE OPENSSL_CONF
    MAKEFLAGS RUSTC_WRAPPER npm_config_script_shell ONECLAW_HOME SYSTEMD_PAGER MAVEN_OPTS R_PROFILE
    PYTEST_ADDOPTS PYTEST_PLUGINS COVERAGE_PROCESS_START JYTHONPATH CATALINA_OPTS LEIN_JVM_OPTIONS
    ASAN_OPTIONS GTK_MODULES QT_PLUGIN_PATH CGO_LDFLAGS GOPROXY CCACHE_PREFIX RUSTUP_HOME NIX_PATH WINEPREFIX
    XDG_CACHE_HOME AWS_CONFIG_FILE DOCKER_CONFIG HELM_PLUGINS TF_CLI_CONFIG_FILE ANSIBLE_LIBRARY PSModulePath
    MANOPT SSH_SK_PROVIDER VK_LAYER_PATH CONFIG_SHELL PKG_CONFIG IRBRC PKG_CONFIG_LIBDIR RUSTC_LINKER CPATH
    C_INCLUDE_PATH CPLUS_INCLUDE_PATH GOMODCACHE NULLCMD BASH_EXECUTION_STRING GH_BROWSER VSCODE_NODE_OPTIONS
    WATCHEXEC_SHELL PUPPETEER_EXECUTABLE_PATH LDR_PRELOAD64 GROFF_COMMAND_PREFIX ODBCSYSINI
    """.split(),  # noqa: SIM905
)
def test_what_decides_which_code_runs_is_refused(name: str) -> None:
    assert refused_variables([name]).keys() == {name}


@pytest.mark.parametrize("name", ["", "A=B", "a b", "1A", "A\0", "A\n", "BASH_FUNC_ls%%", "A-B", "É"])
def test_what_is_no_name_is_refused(name: str) -> None:
    assert "no name of a variable" in refused_variables([name])[name]


@pytest.mark.parametrize(
    "name",
    [
        "LANG",
        "LC_ALL",
        "TZ",
        "TERM",
        "DEBUG",
        "CI",
        "MY_TOKEN",
        "NO_COLOR",
        "COLUMNS",
        "USER_NAME",
        "AWS_REGION",
        "TF_VAR_x",
        "PORT",
        "GOOS",
        "RAILS_ENV",
        "MIXED",
    ],
)
def test_other_names_may_be_set(name: str) -> None:
    assert refused_variables([name]) == {}
