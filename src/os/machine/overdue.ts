/**
 * When a process goes on after a pause (a suspended or far too busy machine, Ctrl-Z), Node runs overdue timers first, and reads
 * what was printed or has ended meanwhile only after them: whoever did all in time would be called late. So a limit of
 * time looks at what has come first. `act` is called even if the timer is cleared in between: it must bear that.
 */
export const whenOverdue = (ms: number, act: () => void): NodeJS.Timeout => setTimeout(() => setImmediate(act), ms);
