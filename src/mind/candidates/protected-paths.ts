/**
 * Paths that a worker must not change without a grant, because they decide what is checked, what the next worker is
 * told, or what runs on the operator's machine. Data: adding a tool means adding a word.
 *
 * Names rather than paths, because a link can stand for any directory above them. Matched in any letter case and at any
 * depth, even if the base has no such file yet: a new `conftest.py` switches tests off as well as a changed one. A
 * trailing slash means the directory with everything below it, even if it is a link. `package.json` is judged by what
 * changed in it (package-json.ts), existing tests by the base (test-paths.ts).
 */
import type { ViolationKind } from './change.ts';

export type Protection = {
  readonly kind: ViolationKind;
  readonly reason: string;
  readonly patterns: readonly string[];
};

/** No grant reaches these: only people change what governs workers. */
export const NEVER_GRANTED: Protection = {
  kind: 'agent_config',
  reason: 'is configuration of Supervisor, which no task may change: restore it',
  patterns: ['.supervisor/'],
};

/**
 * Files that pin the installed packages. If the environment is made from one of them, its gates decide what a change
 * means.
 */
export const LOCK_FILES: Protection = {
  kind: 'registry',
  reason: 'decides which packages are installed: restore it; new packages need a person',
  patterns: [
    ...[
      'package-lock.json',
      'npm-shrinkwrap.json',
      'yarn.lock',
      'pnpm-lock.y*ml',
      'bun.lock',
      'bun.lockb',
      'deno.lock',
    ],
    ...['poetry.lock', 'uv.lock', 'pdm.lock', 'Pipfile.lock', 'Cargo.lock', 'go.sum', 'Gemfile.lock', 'composer.lock'],
    ...['mix.lock', 'pubspec.lock', 'Podfile.lock', 'Package.resolved', 'packages.lock.json', 'gradle.lockfile'],
  ],
};

/** The first match is named, so the more dangerous ones come first. */
export const PROTECTED: readonly Protection[] = [
  {
    kind: 'agent_config',
    reason: 'instructs or configures AI workers: restore it',
    patterns: [
      ...['.claude/', '.claude*.json', '.claudeignore', 'CLAUDE.md', 'CLAUDE.*.md', '.codex/'],
      ...['AGENTS.md', 'AGENTS.*.md', 'AGENT.md', '.agents/', '.agent/', '.gemini/', 'GEMINI.md', '.geminiignore'],
      ...['.aiexclude', '.qwen/', 'QWEN.md', '.cursor/', '.cursorrules', '.cursorignore', '.cursorindexingignore'],
      ...['.copilot/', '.copilot*', 'copilot-instructions.md', '.github/instructions/', '.github/prompts/'],
      ...['.github/chatmodes/', '.github/agents/', '.github/skills/', '.opencode/', 'opencode.json', 'opencode.jsonc'],
      ...[
        '.aider*/',
        '.windsurf*/',
        '.codeium*/',
        '.cline*/',
        '.roo/',
        '.roomodes',
        '.rooignore',
        '.roorules*',
        '.kilocode*/',
        '.continue*/',
      ],
      ...['.amazonq/', '.kiro/', '.junie/', '.goose/', '.goosehints', '.trae/', '.augment*/', '.crush/', '.crush.json'],
      ...['crush.json', 'CRUSH.md', '.warp/', 'WARP.md', '.openhands/', '.devin/', '.factory/', '.tabnine/', '.cody/'],
      ...['.rules', '.mcp/', '.mcp.json', 'mcp.json', '.mcp.*'],
    ],
  },
  {
    kind: 'agent_config',
    reason: 'sets variables for programs that run here: put it back, and read the variable in code instead',
    patterns: ['.env', '.env.*', '.flaskenv', '*.env'],
  },
  {
    kind: 'hooks',
    reason: 'makes programs run at a commit: restore it',
    patterns: [
      ...['.husky/', '.huskyrc*', 'husky.config.*', '.githooks/', '.git-hooks/', 'githooks/', 'git-hooks/'],
      ...['lefthook.*', '.lefthook.*', 'lefthook-local.*', '.lefthook-local.*', '.lefthook/', '.lefthook-local/'],
      ...['.pre-commit-config.y*ml', '.pre-commit-hooks.y*ml', 'prek.toml', '.lintstagedrc*', 'lint-staged.config.*'],
      ...['.overcommit.y*ml', '.overcommit/', '.simple-git-hooks.*', 'simple-git-hooks.*', 'captainhook.json'],
      ...['grumphp.y*ml', '.grumphp.y*ml', '.commitlintrc*', 'commitlint.config.*', 'hk.pkl'],
    ],
  },
  {
    kind: 'editor',
    reason: 'can run programs as soon as the operator opens the directory: restore it',
    patterns: [
      ...['.vscode/', '.vs/', '*.code-workspace', '.idea/', '.fleet/', '.zed/', '.idx/', '.nova/', '.settings/'],
      ...[
        '.project',
        '.devcontainer/',
        '.devcontainer.json',
        'devcontainer.json',
        '.gitpod.*',
        '.replit',
        'replit.nix',
      ],
      ...['.envrc', '.autoenv*', '.tool-versions', 'mise.toml', 'mise.*.toml', '.mise.toml', '.mise.*.toml', '.mise/'],
      ...['mise/', '.rtx.toml', 'devbox.json', 'devenv.nix', 'shell.nix', 'flake.nix', 'Vagrantfile', '.projectile'],
      ...['*.sublime-project', '*.sublime-workspace', '.vimrc', '.nvimrc', '.exrc', '.nvim.lua', '.lvimrc'],
      ...['.local.vimrc', '.dir-locals.el', '.dir-locals-2.el', '.gdbinit', '.lldbinit', '.pdbrc*', '.irbrc', '.pryrc'],
      ...['.bashrc', '.bash_profile', '.bash_login', '.profile', '.zshrc', '.zshenv', '.zprofile', '.inputrc'],
      ...['.tmux.conf', '.screenrc', '.Rprofile', '.Renviron', 'desktop.ini', 'autorun.inf'],
    ],
  },
  {
    kind: 'registry',
    reason: 'decides where packages come from, or what runs while they are installed: restore it',
    patterns: [
      ...['.npmrc', '.yarnrc*', '.yarn/', '.pnpmfile.*', 'pnpmfile.*', 'pnpm-workspace.y*ml', '.pnp.*', 'bunfig.toml'],
      ...['.bunfig.toml', 'pip.conf', 'pip.ini', '.pip/', '.pypirc', 'uv.toml', '.condarc', 'condarc'],
      ...['.cargo/', '/settings.xml', '.m2/', '.mvn/', 'maven-wrapper.properties', 'gradle-wrapper.*', 'init.gradle*'],
      ...['nuget.config', '/auth.json', '.bundle/', '.gemrc', 'go.env', '.terraformrc', '.swiftpm/'],
      ...['.netrc', '_netrc', '.curlrc', '.wgetrc'],
    ],
  },
  {
    kind: 'registry',
    // Node takes the nearest `node_modules`, Go an existing `vendor`: beside a test, that is a fake assertion library.
    reason: 'is where third-party code is loaded from: restore it, or remove it if it is new',
    patterns: ['node_modules/', '/vendor/'],
  },
  {
    kind: 'registry',
    reason: 'tells git itself what to do: restore it',
    patterns: ['.gitattributes', '.gitmodules', '.gitconfig', '.lfsconfig'],
  },
  {
    kind: 'ci',
    reason: 'is what other machines check or release with: restore it',
    patterns: [
      ...['.github/', '.gitlab-ci*', '.gitlab/', '.circleci/', 'Jenkinsfile*', '.jenkins/', 'azure-pipelines*'],
      ...['.azure-pipelines/', '.azuredevops/', '.vsts-ci.y*ml', '.travis.y*ml', 'bitbucket-pipelines.y*ml'],
      ...['.drone.*', '.woodpecker*/', '.buildkite/', 'appveyor.y*ml', '.appveyor.y*ml', '.cirrus.*', '.semaphore/'],
      ...['cloudbuild*.y*ml', 'cloudbuild.json', 'buildspec*.y*ml', '.teamcity/', '.gitea/', '.forgejo/', '.builds/'],
      ...['.build.y*ml', '.tekton/', 'wercker.y*ml', 'codemagic.y*ml', 'bitrise.y*ml', 'Earthfile', 'dagger.json'],
      ...['CODEOWNERS', '.mergify*', 'renovate.json*', '.renovaterc*', '.releaserc*', 'release.config.*'],
      ...['.goreleaser*', 'codecov.y*ml', '.codecov.y*ml', '.coveralls.y*ml'],
    ],
  },
  {
    kind: 'gate_config',
    reason: 'decides what the gates run, or what they overlook: restore it',
    patterns: [
      // Files that start the checks.
      ...['Makefile', 'GNUmakefile', 'Makefile.*', '*.mk', 'justfile', '.justfile', 'Taskfile.*', 'Rakefile', '*.rake'],
      ...['CMakeLists.txt', 'CTest*.cmake', 'CMakePresets.json', 'meson.build', 'SConstruct', 'WORKSPACE.bazel'],
      ...['BUILD.bazel', 'MODULE.bazel', '.bazelrc', 'magefile.go', 'noxfile.py', '/tasks.py', 'dodo.py', 'setup.py'],
      ...['pom.xml', 'build.gradle*', 'settings.gradle*', 'gradle.properties', 'gradlew*', 'mvnw*', 'build.sbt'],
      ...['plugins.sbt', 'build.xml', 'project.clj', 'deps.edn', 'mix.exs', 'Cargo.toml', 'Package.swift', '*.cabal'],
      ...['/stack.y*ml', 'Gemfile', '*.gemspec', 'composer.json', 'go.work', 'package.json5', 'package.y*ml'],
      ...['deno.json*', 'Directory.*.props', 'Directory.*.targets', '/global.json', 'nx.json', 'turbo.json*'],
      ...['lerna.json', 'rush.json', 'angular.json', '/workspace.json', 'rust-toolchain*', '*.runsettings'],
      ...['gulpfile.*', 'Gruntfile.*', 'Jakefile*', 'lage.config.*', 'webpack.config.*', 'rollup.config.*'],
      ...['rspack.config.*', 'import_map.json', 'hatch.toml', 'pdm.toml', 'poetry.toml', 'pixi.toml', 'pants.toml'],
      ...['rebar.config*', 'build.zig*', 'xmake.lua', '.nvmrc', '.node-version', '.python-version', '.ruby-version'],
      ...['.java-version', '.sdkmanrc'],
      // Test runners.
      ...['vite.config.*', 'vitest.*', 'jest.*', '.jestrc*', '.mocharc*', 'mocha.opts', 'karma.conf*', 'karma.*.js'],
      ...['ava.config.*', '.taprc', 'playwright*.config.*', 'cypress.config.*', 'cypress.json', 'cypress.env.json'],
      ...['wdio.*conf*', 'protractor.conf*', 'nightwatch.*', 'testcafe.*', '.testcaferc*', '.qunitrc*', 'jasmine.json'],
      ...['web-test-runner.config.*', 'babel.config.*', '.babelrc*', '.swcrc', 'tsconfig*.json', 'jsconfig*.json'],
      ...[
        'pytest.ini',
        '.pytest.ini',
        'pytest.toml',
        '.pytest.toml',
        'conftest.py',
        'tox.ini',
        'tox.toml',
        'setup.cfg',
      ],
      ...['pyproject.toml', 'sitecustomize.py', 'usercustomize.py', 'manage.py', 'behave.ini', '.behaverc'],
      ...['phpunit*.xml*', 'pest.php', 'behat.y*ml*', 'codeception.y*ml', '.rspec*', '.simplecov', '.minitest*'],
      ...['cucumber.*', 'testng*.xml', 'junit-platform.properties', 'nextest.toml', 'dart_test.y*ml', '.xctestplan'],
      // A runner uses them instead of what a test imports. Jest replaces packages by the content of any `__mocks__`,
      // unasked.
      ...['__mocks__/', 'node.config.json', '.proverc', 'minitest/', 'minitest.rb', 'busted/', 'luaunit.lua'],
      // Python looks beside the test and at the top first, for a module (also a compiled one) as well as for a package.
      ...['pytest.py*', 'pytest/', '_pytest.py*', '_pytest/', 'pluggy.py*', 'pluggy/', 'iniconfig.py*', 'iniconfig/'],
      ...['unittest.py*', 'unittest/', 'doctest.py*', 'nose.py*', 'nose/', 'nose2/', 'xdist/', 'pytest_cov/'],
      ...['sitecustomize/', 'usercustomize/', 'sitecustomize.pyc', 'usercustomize.pyc', 'conftest.pyc'],
      // Pytest loads every plugin that an installed package's metadata names; a directory at the top counts as one.
      ...['*.dist-info/', '*.egg-info/'],
      // Coverage.
      ...['.nycrc*', 'nyc.config.*', '.c8rc*', '.istanbul.y*ml', '.coveragerc*', 'tarpaulin.toml', '.tarpaulin.toml'],
      ...['.resultset.json', 'jacoco*.xml', 'sonar-project.properties', '.codeclimate.y*ml', 'stryker.conf*'],
      // Linters, formatters, type checkers.
      ...[
        '.eslintrc*',
        'eslint.config.*',
        '.eslintignore',
        '.oxlintrc*',
        'tslint*.json',
        'biome.json*',
        '.biome.json*',
      ],
      ...['.prettierrc*', 'prettier.config.*', '.prettierignore', '.stylelintrc*', 'stylelint.config.*'],
      ...['.stylelintignore', '.jshintrc', '.jshintignore', '.xo-config*', 'xo.config.*', '.markdownlint*'],
      ...['dprint.json*', '.dprint.json*', '.flake8', '.pylintrc', 'pylintrc', 'mypy.ini', '.mypy.ini', 'ruff.toml'],
      ...[
        '.ruff.toml',
        'pyrightconfig.json',
        '.isort.cfg',
        '.pydocstyle*',
        '.pycodestyle',
        '.style.yapf',
        '.yapfignore',
      ],
      ...['.golangci.*', 'staticcheck.conf', 'rustfmt.toml', '.rustfmt.toml', 'clippy.toml', '.clippy.toml'],
      ...['checkstyle*.xml', 'pmd*.xml', 'spotbugs*.xml', 'findbugs*.xml', 'detekt*.y*ml', '.scalafmt.conf'],
      ...['.scalafix.conf', 'lint.xml', 'phpstan*.neon*', 'psalm*.xml*', '.php-cs-fixer*', '.php_cs*', 'phpcs*.xml*'],
      ...['phpmd*.xml', 'rector.php', '.rubocop*', '.standard.y*ml', '.reek.y*ml', '.credo.exs', '.formatter.exs'],
      ...['.dialyzer_ignore*', '.clang-tidy', '.clang-format*', '.cppcheck*', '.swiftlint*', '.swiftformat'],
      ...['analysis_options.y*ml', '.hlint.y*ml', '.luacheckrc', '.shellcheckrc', '.hadolint*', '.yamllint*'],
      ...['.sqlfluff*', '.cspell.json', 'cspell*', '.editorconfig', 'knip.json*', '.dependency-cruiser*'],
      // Security checks.
      ...['.semgrep*/', '.gitleaks*', '.secretlintrc*', '.secretlintignore', '.trivyignore*', 'trivy.y*ml', '.snyk'],
      ...['.bandit*', '.safety-policy.y*ml', '.secrets.baseline', '.nsprc', 'audit-ci.json*', '.grype*', 'deny.toml'],
      ...['osv-scanner.toml', '.checkov*', '.tfsec*', 'brakeman.ignore', '.bundler-audit*', '.talismanrc'],
    ],
  },
];
