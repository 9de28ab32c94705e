/** The command line of the crash tests: it dies at the failpoint that SUPERVISOR_FAILPOINT names. */
import { enableCompileCache } from 'node:module';
import { failpointAt } from './failpoint.ts';

const { env, argv } = process;
enableCompileCache(`${env['XDG_CACHE_HOME']}/supervisor/compiled`);
const { main } = await import('../../src/faces/cli/main.ts');
process.exitCode = await main(argv.slice(2), { failpoint: failpointAt(env['SUPERVISOR_FAILPOINT'] ?? null) });
