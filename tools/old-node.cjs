// Loaded before the sources when bin/supervisor has to take whatever `node` is on PATH: a Node that cannot run
// TypeScript would end with a stack trace before src/faces/cli/entry.ts could say what is wrong.
if (!process.features.typescript) {
  process.stderr.write(
    `supervisor needs Node.js 24.15 or newer; this is ${process.versions.node} (${process.execPath}). ` +
      'Run `make setup` once, which brings its own Node into the checkout, or point SUPERVISOR_NODE at a newer one.\n',
  );
  process.exit(5);
}
