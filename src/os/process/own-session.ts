/**
 * Every program that Supervisor starts gets its own session. A terminal sends Ctrl-C, Ctrl-Z and its hang-up to all
 * processes of the foreground group; only Supervisor itself may decide what they mean for a git command or a sandbox.
 */
export const OWN_SESSION = { detached: true } as const;
