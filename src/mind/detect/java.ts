/** Java: maven, or gradle with its wrapper. */
import { isPlainPath, type RepositoryFacts, type ToolChainFacts } from './repository-facts.ts';

export function detectMaven({ texts }: RepositoryFacts): ToolChainFacts | null {
  const pom = texts.get('pom.xml');
  if (pom === undefined) return null;
  const modules = pom.includes('<modules>')
    ? [...texts.keys()].filter((path) => path.endsWith('/pom.xml') && isPlainPath(path))
    : [];
  const local = '-Dmaven.repo.local=/env/m2';
  return {
    tool: 'maven',
    gate: { command: `mvn -B -o ${local} test`, ids: null, reason: 'pom.xml is there' },
    checks: [],
    environment: {
      prepare: `mvn -B ${local} dependency:go-offline`,
      key: ['pom.xml', ...modules],
      outputs: ['/env/m2'],
      env: {},
      reason: 'pom.xml is there: dependencies are fetched by maven',
    },
    notes: ['maven resolves some plugins only when it uses them: if the gate misses one, fetch it in `prepare` too'],
  };
}

export function detectGradle({ names, texts, executables }: RepositoryFacts): ToolChainFacts | null {
  const file = ['build.gradle.kts', 'build.gradle'].find((name) => texts.has(name));
  if (file === undefined || names.has('pom.xml')) return null;
  const wrapped = executables.has('gradlew');
  return {
    tool: 'gradle',
    gate: {
      command: `${wrapped ? './gradlew' : 'gradle'} --offline --no-daemon test`,
      ids: null,
      reason: `${file} ${wrapped ? 'and gradlew are' : 'is'} there`,
    },
    checks: [],
    // Gradle writes to its home while it works, so no general rule can prepare it once and mount it read-only.
    environment: null,
    notes: [
      `gradle works without network here: let \`environment\` fetch what it needs into /env (GRADLE_USER_HOME)${wrapped ? ', the distribution of its wrapper too' : ''}, or name a gate that does without`,
    ],
  };
}
