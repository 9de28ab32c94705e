/** Why a file is left out although it could be shown: only the room is missing. A worker is told its name. */
export const NO_ROOM = 'no room left in the budget';
export const SHARE_USED = 'the share of its kind is used up';
export const largerThan = (tokens: number): string => `larger than ${tokens} tokens`;

export const isForRoom = (reason: string): boolean =>
  reason === NO_ROOM || reason === SHARE_USED || reason.startsWith('larger than ');
