/** The problem of a template, for its author. */
export type TemplateProblem = {
  /** Its name, without `.liquid`. */
  readonly template: string;
  readonly line: number | null;
  readonly message: string;
};

export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly problem: TemplateProblem;

  constructor(template: string, line: number | null, message: string) {
    super(problemText({ template, line, message }));
    this.problem = { template, line, message };
  }
}

export const problemText = ({ template, line, message }: TemplateProblem): string =>
  `${template}.liquid${line === null ? '' : `:${line}`}: ${message}`;
