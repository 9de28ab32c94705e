/** Where a role, template, strategy or workflow comes from, nearest first. */
export const LAYERS = ['project', 'user', 'built-in'] as const;
export type Layer = (typeof LAYERS)[number];
