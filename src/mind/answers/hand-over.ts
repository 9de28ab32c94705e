/**
 * What an answer must contain before the next step builds on it, if the workflow asks for that (`hand_over: true`). A
 * gap sends the attempt back and is named, so that the next attempt can fill it.
 */
import type { Answer, AnswerKind } from './schemas.ts';

/** Kinds of answers that can be checked. */
export const HANDED_OVER = ['brainstorm', 'document', 'plan', 'implementation', 'test'] as const;
type HandedOver = (typeof HANDED_OVER)[number];

/** A component that names more files is too large for one worker. */
const MAX_FILES = 10;
const MAX_GAPS = 10;

/** The rules of the check, in words for the worker. */
export function handOverRules(kind: AnswerKind): readonly string[] {
  return isHandedOver(kind) ? RULES[kind] : [];
}

export const isHandedOver = (kind: string): kind is HandedOver => (HANDED_OVER as readonly string[]).includes(kind);

const CLAIMS = [
  '`files_created`, `files_modified` and `tests_written` together name each file that you changed, and no other.',
];
const RULES: Readonly<Record<HandedOver, readonly string[]>> = {
  brainstorm: ['`problem`, `users`, `goals`, `limits` and `risks` are all filled in.'],
  document: [
    'There is a requirement, and each has a criterion that a test can decide.',
    'A criterion names what is measured, and `check` the command or the example that decides it. Ids are used once.',
  ],
  plan: [
    'Each component has acceptance criteria.',
    `A component names at most ${MAX_FILES} files: cut a larger one into several.`,
    'If the packet lists requirements: each criterion is named, by its id, in the list `covers` of a component.',
  ],
  implementation: CLAIMS,
  test: CLAIMS,
};

/** Gaps in an answer's own text. `documents`: the documents whose criteria a plan has to cover. */
export function handOverGaps(
  kind: AnswerKind,
  answer: Answer,
  documents: readonly Answer<'document'>[],
): readonly string[] {
  switch (kind) {
    case 'brainstorm':
      return brainstormGaps(answer as Answer<'brainstorm'>);
    case 'document':
      return documentGaps(answer as Answer<'document'>);
    case 'plan':
      return planGaps(answer as Answer<'plan'>, documents.flatMap(criteriaOf));
    default:
      return [];
  }
}

/** One sentence for all gaps; null if there is none. */
export function handOverText(gaps: readonly string[]): string | null {
  if (gaps.length === 0) return null;
  const more = gaps.length - MAX_GAPS;
  return `not ready to be handed over: ${gaps.slice(0, MAX_GAPS).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

const isEmpty = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text);

function brainstormGaps(answer: Answer<'brainstorm'>): string[] {
  const lists = (['users', 'goals', 'limits', 'risks'] as const).filter((name) => answer[name].every(isEmpty));
  return [...(isEmpty(answer.problem) ? ['problem'] : []), ...lists].map((name) => `\`${name}\` is empty`);
}

type Criterion = Answer<'document'>['requirements'][number]['criteria'][number];
const criteriaOf = ({ requirements }: Answer<'document'>): Criterion[] => requirements.flatMap((one) => one.criteria);

function documentGaps(answer: Answer<'document'>): string[] {
  const { requirements } = answer;
  if (requirements.length === 0) return ['there is no requirement'];
  const criteria = criteriaOf(answer);
  return [
    ...requirements.flatMap(({ id, criteria: own }) =>
      own.some(isTestable) ? [] : [`requirement ${shown(id)} has no criterion that a test can decide`],
    ),
    ...criteria.filter((one) => !isTestable(one)).map(untestable),
    ...repeated(requirements.map(({ id }) => id)).map((id) => `two requirements are called ${shown(id)}`),
    ...repeated(criteria.map(({ id }) => id)).map((id) => `two criteria are called ${shown(id)}`),
  ];
}

const untestable = ({ id, check }: Criterion): string =>
  isEmpty(check)
    ? `criterion ${shown(id)} does not say how it is checked: name the command or the example in \`check\``
    : `criterion ${shown(id)} cannot be decided by a test: say the input, and what exactly comes out`;

const repeated = (ids: readonly string[]): string[] => [...new Set(ids.filter((id, n) => ids.indexOf(id) !== n))];

/** Says how to decide it, instead of mere praise: "fast" needs a number. */
const isTestable = ({ criterion, check }: Criterion): boolean =>
  !isEmpty(criterion) && !isEmpty(check) && (!VAGUE.test(criterion) || MEASURED.test(criterion));

const VAGUE =
  /\b(?:fast(?:er)?|quick(?:ly)?|slow|eas(?:y|ily)|simple|intuitive(?:ly)?|(?:user|developer)[- ]friendly|robust(?:ly)?|reliabl[ey]|scalabl[ey]|secure(?:ly)?|good|nice(?:ly)?|clean(?:ly)?|well|better|proper(?:ly)?|appropriate(?:ly)?|adequate(?:ly)?|reasonabl[ey]|efficient(?:ly)?|smooth(?:ly)?|seamless(?:ly)?|works? (?:correctly|fine|as (?:expected|intended)))\b/i;
/** A number, a quoted value, a call, a comparison. */
const MEASURED = /\d|["'`“”«»]|\w\(|[<>=]/;

type Component = {
  readonly name: string;
  readonly files: readonly string[];
  readonly acceptance: readonly string[];
  readonly covers: readonly string[];
};

/** All components of a plan, in the order of its phases. */
export const componentsOf = ({ phases }: Answer<'plan'>): Component[] =>
  phases.flatMap((phase) => listOf(phase['components'])).map(componentOf);

function planGaps(answer: Answer<'plan'>, criteria: readonly Criterion[]): string[] {
  const components = componentsOf(answer);
  if (components.length === 0) return ['there is no component'];
  const known = new Set(criteria.map(({ id }) => id));
  const covered = new Set(components.flatMap(({ covers, acceptance }) => [...covers, ...acceptance]));
  const sizes = components.flatMap(({ name, files, acceptance }) => [
    ...(files.length > MAX_FILES
      ? [`component ${shown(name)} names ${files.length} files, at most ${MAX_FILES} are allowed: cut it into several`]
      : []),
    ...(acceptance.every(isEmpty)
      ? [`component ${shown(name)} has no acceptance criteria: cut the work so that each part has some`]
      : []),
  ]);
  const missing = criteria.filter(({ id, criterion }) => !covered.has(id) && !covered.has(criterion));
  const unknown = components.flatMap(({ name, covers }) =>
    covers.flatMap((id) =>
      known.size === 0 || known.has(id) ? [] : [`component ${shown(name)} covers ${shown(id)}, which is no criterion`],
    ),
  );
  return [
    ...sizes,
    ...missing.map(({ id }) => `criterion ${shown(id)} has no component: name it in \`covers\` of one`),
    ...unknown,
  ];
}

/** Components are free in form: fields of another type count as missing. */
function componentOf(value: unknown, index: number): Component {
  const fields = (value !== null && typeof value === 'object' ? value : {}) as Readonly<Record<string, unknown>>;
  const texts = (key: string) => [fields[key]].flat().filter((one) => typeof one === 'string');
  const name = fields['name'];
  return {
    name: typeof name === 'string' ? name : `number ${index + 1}`,
    files: texts('files'),
    acceptance: texts('acceptance'),
    covers: texts('covers'),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const shown = (text: string): string => JSON.stringify(text.slice(0, 80));
