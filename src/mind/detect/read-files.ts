/** Which files detection reads, wherever they are. */
import { baseName } from './paths.ts';

const READ = new Set([
  'package.json',
  'pnpm-workspace.yaml',
  'pyproject.toml',
  'Pipfile',
  'setup.cfg',
  'setup.py',
  'composer.json',
  'tox.ini',
  'tox.toml',
  'noxfile.py',
  'Makefile',
  'makefile',
  'GNUmakefile',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'foundry.toml',
  'manage.py',
]);

/** The files where CI services look for their pipelines. */
const CI_FILE =
  /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|azure-pipelines\.yml|\.travis\.yml|Jenkinsfile)$/;

/** With its variants, such as `docker-compose.test.yml`. */
export const isCompose = (name: string): boolean => /^(?:docker-)?compose(?:[.-][\w.-]{1,50})?\.ya?ml$/.test(name);
export const isRequirements = (name: string): boolean => /^requirements[\w.-]*\.txt$/.test(name);
export const isCiFile = (path: string): boolean => CI_FILE.test(path);

export const isRead = (path: string): boolean => {
  const name = baseName(path);
  return READ.has(name) || isRequirements(name) || isCompose(name) || isCiFile(path);
};

/** Installed, built or downloaded: nothing in there was written for this repository. */
export const PASSED_OVER: ReadonlySet<string> = new Set([
  ...['.git', '.hg', '.svn', '.supervisor', 'node_modules', 'bower_components', 'vendor', 'third_party', 'Pods'],
  ...['.venv', 'venv', 'env', 'site-packages', '__pycache__', '.tox', '.nox', '.mypy_cache', '.pytest_cache'],
  ...['target', 'dist', 'build', 'out', 'coverage', '.next', '.nuxt', '.svelte-kit', '.turbo', '.cache', '.gradle'],
]);
