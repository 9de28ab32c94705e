/**
 * A timer for time limits. After a pause (a suspended or overloaded machine, Ctrl-Z), Node runs overdue timers before
 * it reads output and exits, so a process that ended in time would look late. This timer lets Node read those first.
 * `act` may be called although the timer was cleared in between.
 */
export const whenOverdue = (ms: number, act: () => void): NodeJS.Timeout => setTimeout(() => setImmediate(act), ms);
