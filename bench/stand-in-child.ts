/** The stand-in for a model's server, in a process of its own as a real one would be: its work is nobody's overhead. */
import { StandIn } from '../src/hands/stand-in/stand-in.ts';

const ANSWER = {
  status: 'SUCCESS',
  action_taken: 'wrote the greeting',
  files_created: ['greeting.txt'],
};
const turns = [
  { write: { path: 'greeting.txt', text: 'hello\n' } },
  { text: `Done.\n\n\`\`\`json\n${JSON.stringify(ANSWER)}\n\`\`\`\n` },
];

const { url } = await new StandIn({ scenario: { turns, per: 'conversation' }, maxRequests: 1 }).listen();
process.send?.(url);
process.once('disconnect', () => process.exit());
