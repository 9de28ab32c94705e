/** One task as a page for people: the request, the events, the findings and the change. */
import { formatDuration } from '../../kernel/duration.ts';
import type { NewEvent } from '../domain/events/index.ts';
import { eventText } from '../protocol/event-text.ts';
import type { RunReport, StepReport } from '../protocol/run-report.ts';
import { diffView, pathsIn, remarksIn } from './diff-view.ts';
import { Html, html } from './html.ts';

type TaskPage = {
  readonly report: RunReport;
  /** The text of the task. */
  readonly text: string;
  readonly events: readonly NewEvent[];
  /** By hash. */
  readonly texts: ReadonlyMap<string, string>;
  /** `null`: nothing was changed, or its objects are gone. */
  readonly diff: string | null;
  readonly made: string;
  readonly css: string;
};

export function taskPage(page: TaskPage): string {
  const { report, css, made } = page;
  const title = `${report.task_id}: ${report.title}`;
  const body = html`<main><header><p class="status ${report.status}">${report.status}</p><h1>${report.title}</h1>${facts(page)}</header>
${asked(page)}${steps(report.steps)}${checks(page)}${timeline(page)}${answers(page)}${change(page)}
<footer>Made by Supervisor from its log on ${made}. To check it without this machine: <code>supervisor export ${report.task_id}</code>.</footer></main>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title><style>${new Html(css)}</style></head>
<body>${body}</body></html>
`.text;
}

function facts({ report }: TaskPage): Html {
  const { usd } = report.cost;
  const rows: readonly (readonly [string, string | null])[] = [
    ['task', report.task_id],
    ['workflow', report.workflow],
    ['verdict', verdictLine(report)],
    ['verified', report.verified ? 'yes' : 'no'],
    ['onto', report.onto],
    ['branch', report.branch],
    ['commit', report.commit],
    ['change id', report.change_id],
    ['cost', usd === null ? 'unknown' : `${usd.toFixed(4)} USD`],
    ['landed', report.landed === null ? null : `${report.landed.onto} at ${report.landed.commit}`],
  ];
  return html`<dl>${rows.flatMap(([name, value]) => (value === null ? [] : [html`<dt>${name}</dt><dd>${value}</dd>`]))}</dl>`;
}

function verdictLine({ verdict }: RunReport): string | null {
  if (verdict.decision === null) return null;
  const score = verdict.score === null ? '' : `, score ${verdict.score.toFixed(2)}`;
  return `${verdict.decision}${score}${verdict.reasons.length === 0 ? '' : `: ${verdict.reasons.join('; ')}`}`;
}

const asked = ({ text }: TaskPage): Html => html`<section><h2>What was asked</h2><pre>${text}</pre></section>`;

const steps = (all: readonly StepReport[]): Html =>
  html`<section><h2>Steps</h2><table><thead><tr><th>step</th><th>kind</th><th>status</th><th>attempts</th><th>CLI</th><th>time</th></tr></thead><tbody>${all.map(
    ({ id, kind, status, attempts, cli, duration_ms: ms }) =>
      html`<tr><td>${id}</td><td>${kind}</td><td>${status}</td><td>${attempts}</td><td>${cli ?? ''}</td><td>${ms === null ? '' : formatDuration(ms)}</td></tr>`,
  )}</tbody></table></section>`;

function checks({ report, texts }: TaskPage): Html {
  const rows = report.steps.flatMap(({ id, evidence }) => evidence.map((one) => ({ step: id, ...one })));
  if (rows.length === 0) return html``;
  return html`<section><h2>Checks</h2><table><thead><tr><th>gate</th><th>result</th><th>step</th><th>attempt</th><th>tests</th><th>score</th><th>time</th></tr></thead><tbody>${rows.map(
    ({ gate, status, step, attempt, tests, score, ms, cached }) =>
      html`<tr class="${status}"><td>${gate}</td><td>${status}${cached ? ' (cached)' : ''}</td><td>${step}</td><td>${attempt}</td><td>${tests === null ? '' : `${tests.run ?? '?'} run, ${tests.failed ?? '?'} failed`}</td><td>${score === null ? '' : score.toFixed(2)}</td><td>${ms === null ? '' : formatDuration(ms)}</td></tr>`,
  )}</tbody></table>${rows.map(({ gate, status, attempt, evidence }) => {
    const text = evidence === null ? undefined : texts.get(evidence);
    if (text === undefined) return html``;
    return html`<details><summary>${gate}, attempt ${attempt}: ${status}</summary><pre>${text}</pre></details>`;
  })}</section>`;
}

function timeline({ events }: TaskPage): Html {
  const begin = events[0]?.time ?? 0;
  return html`<section><h2>What happened</h2><ol class="timeline">${events.map((event) => {
    const { text, tone } = eventText(event);
    return html`<li class="${tone}"><time>${formatDuration(Math.max(0, event.time - begin))}</time> ${text}</li>`;
  })}</ol></section>`;
}

function answers({ events, texts }: TaskPage): Html {
  const said = events.flatMap((event) => {
    if (event.type !== 'attempt.settled' && event.type !== 'attempt.produced') return [];
    const { step, answer } = event.data;
    const text = answer === null ? undefined : texts.get(answer);
    return answer === null || text === undefined ? [] : [{ step, answer, text }];
  });
  const once = [...new Map(said.map((one) => [`${one.step} ${one.answer}`, one])).values()];
  if (once.length === 0) return html``;
  return html`<section><h2>What workers said</h2><p class="dim">Their words decide nothing.</p>${once.map(
    ({ step, text }) => html`<details><summary>${step}</summary><pre>${text}</pre></details>`,
  )}</section>`;
}

function change({ diff, report, texts }: TaskPage): Html {
  if (diff === null)
    return html`<section><h2>The change</h2><p class="dim">Nothing was changed, or it is not kept any more.</p></section>`;
  const paths = pathsIn(diff);
  // Earlier attempts saw other lines.
  const newest = new Map(
    report.steps.flatMap(({ evidence }) => evidence.map((one) => [one.gate, one.evidence] as const)),
  );
  const remarks = [...newest].flatMap(([gate, hash]) => remarksIn(gate, texts.get(hash ?? '') ?? '', paths));
  return html`<section><h2>The change</h2>${diffView(diff, remarks)}</section>`;
}
