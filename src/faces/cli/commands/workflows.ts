/** `supervisor workflows`: lists workflows, shows one or its graph, or checks a file. */
import { resolve } from 'node:path';
import { ConfigError } from '../../../app/config/config-error.ts';
import { surveyWorkflows } from '../../../app/config/survey-roles.ts';
import type { LoadedWorkflow, WorkflowEntry, WorkflowLimits, Workflows } from '../../../app/config/workflows.ts';
import { nearest } from '../../../kernel/nearest.ts';
import { isBaseOnly } from '../../../mind/workflows/file.ts';
import { graphMermaid, graphSteps, graphText } from '../../../mind/workflows/graph-text.ts';
import { type CommandContext, type CommandRun, EXIT, UsageError } from '../command.ts';

const ACTIONS = ['list', 'show', 'graph', 'validate'] as const;
const USUAL = 'default';

export const run: CommandRun = async (context) => {
  const [action = 'list', name] = context.args;
  if (context.flags['mermaid'] === true && action !== 'graph')
    throw new UsageError('--mermaid draws a graph: write `supervisor workflows graph NAME --mermaid`');
  const { workflows, limited } = await surveyWorkflows(context.environment, context.dir);
  switch (action) {
    case 'list':
      if (name !== undefined)
        throw new UsageError(`list takes no name: \`supervisor workflows show ${name}\` shows one workflow`);
      return list(context, workflows, limited);
    case 'show':
      return show(context, workflowFor(workflows, name, limited));
    case 'graph':
      return graph(context, workflowFor(workflows, name, limited));
    case 'validate':
      return validate(context, workflows, limited, name);
    default: {
      const meant = nearest(action, ACTIONS);
      throw new UsageError(
        `workflows cannot ${JSON.stringify(action)}${meant === null ? '' : `, did you mean ${meant}?`} (known: ${ACTIONS.join(', ')})`,
      );
    }
  }
};

/** Without a name: the workflow that `run` uses, with the config's changes. */
const workflowFor = (workflows: Workflows, name: string | undefined, limited: WorkflowLimits): LoadedWorkflow =>
  name === undefined ? workflows.forRun(null, limited) : workflows.get(name, limited);

function list({ out }: CommandContext, workflows: Workflows, limited: WorkflowLimits): number {
  const rows = workflows.entries().map((entry) => {
    const problem = workflows.problem(entry.name, limited);
    const definition = problem === null ? workflows.get(entry.name, limited).definition : null;
    return {
      ...entry,
      description: definition?.description ?? null,
      steps: definition?.steps.length ?? null,
      base_only: isBaseOnly(entry.name),
      chosen: (workflows.chosen ?? USUAL) === entry.name,
      problem,
    };
  });
  out.value({ workflows: rows });
  const width = Math.max(...rows.map((row) => row.name.length));
  const titles = { project: 'Of this project', user: 'Your own', 'built-in': 'Built in' } as const;
  for (const layer of ['project', 'user', 'built-in'] as const) {
    const of = rows.filter((row) => row.layer === layer);
    if (of.length > 0) out.heading(titles[layer]);
    for (const row of of) {
      const body = row.problem === null ? (row.description ?? '') : `✗ ${row.problem}`;
      const mark = row.chosen ? '*' : ' ';
      out.entry(`${mark} ${row.name.padEnd(width)} `, body, row.problem === null ? 'plain' : 'bad');
    }
  }
  out.line();
  out.line('* is the one that `run` takes when none is named.');
  out.line('Use one:         supervisor run "TEXT" --workflow NAME');
  out.line('Look at one:     supervisor workflows show NAME, supervisor workflows graph NAME');
  out.line('Try one:         supervisor run "TEXT" --workflow NAME --simulate');
  out.line('Write your own:  .supervisor/workflows/NAME.yaml, such as');
  out.line('                   extends: standard');
  out.line('                   disable: [plan_review]');
  return EXIT.done;
}

function show({ out }: CommandContext, workflow: LoadedWorkflow): number {
  const { definition, chain, settings, file, commands } = workflow;
  out.value({
    name: definition.name,
    version: definition.version,
    description: definition.description ?? null,
    file,
    chain: chain.map(({ name, layer, file: of }) => ({ name, layer, file: of })),
    on_exhausted: definition.on_exhausted ?? 'fail',
    settings,
    commands,
    graph: graphSteps(workflow),
    steps: definition.steps,
  });
  out.heading(`${definition.name}: ${definition.description ?? 'no description'}`);
  const facts: [string, string][] = [
    ['made of', chain.map(({ name, layer }) => `${name} (${layer})`).join(' > ')],
    ['file', file],
    ['version', String(definition.version)],
    ['attempts used up', ENDS[definition.on_exhausted ?? 'fail']],
    [
      'settings',
      Object.entries(settings)
        .map(([key, value]) => `${key}: ${value}`)
        .join(', '),
    ],
  ];
  for (const [head, text] of facts) if (text !== '') out.entry(`  ${head.padEnd(16)}`, text);
  out.line();
  out.heading('Steps');
  for (const line of graphText(workflow)) out.line(`  ${line}`, 'plain', 6);
  const said = definition.steps.flatMap((step) => [
    ...(step.outputs === undefined ? [] : [`${step.id} hands over ${step.outputs.join(', ')}`]),
    ...(step.inputs === undefined ? [] : [`${step.id} is told the answers of ${step.inputs.join(', ')}`]),
    ...(step.config === undefined ? [] : [`${step.id} has the settings ${JSON.stringify(step.config)}`]),
  ]);
  if (said.length > 0) {
    out.line();
    out.heading('What is handed on');
    for (const line of said) out.line(`  ${line}`, 'plain', 4);
  }
  return EXIT.done;
}

const ENDS = { fail: 'the task fails', escalate: 'the task is escalated', block: 'the task is blocked' } as const;

function graph({ out, flags }: CommandContext, workflow: LoadedWorkflow): number {
  const lines = flags['mermaid'] === true ? graphMermaid(workflow) : graphText(workflow);
  out.value({ name: workflow.definition.name, graph: graphSteps(workflow), text: lines.join('\n') });
  for (const line of lines) out.verbatim(line);
  return EXIT.done;
}

function validate(
  { out }: CommandContext,
  workflows: Workflows,
  limited: WorkflowLimits,
  file: string | undefined,
): Promise<number> | number {
  const all = workflows.entries();
  const checked = (file === undefined ? all : [entryFor(all, file)]).map((entry) => ({
    ...entry,
    problem: workflows.problem(entry.layer === null ? entry.file : entry.name, limited),
  }));
  const composed = file === undefined && workflows.chosen !== null ? composedProblem(workflows, limited) : null;
  const problems = [...checked.flatMap(({ problem }) => problem ?? []), ...(composed === null ? [] : [composed])];
  out.value({ valid: problems.length === 0, workflows: checked, config: composed });
  for (const problem of problems) out.line(`✗ ${problem}`, 'bad');
  const count = checked.length;
  if (problems.length > 0) out.line(`${problems.length} wrong, ${count} checked`, 'note');
  else out.line(count === 1 ? '✓ the workflow is valid' : `✓ all ${count} workflows are valid`, 'good');
  return problems.length === 0 ? EXIT.done : EXIT.usage;
}

/** Takes a file path or a name. */
function entryFor(
  all: readonly WorkflowEntry[],
  named: string,
): { readonly name: string; readonly layer: WorkflowEntry['layer'] | null; readonly file: string } {
  const path = resolve(named);
  return all.find((one) => one.file === path || one.name === named) ?? { name: named, layer: null, file: named };
}

/** The problem of the config's own `workflow:`; null if there is none. */
function composedProblem(workflows: Workflows, limited: WorkflowLimits): string | null {
  try {
    workflows.forRun(null, limited);
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
