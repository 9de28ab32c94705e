/** Dangerous constructs: for each rule what it must catch, and the nearest harmless code that it must not. */
import { describe, expect, test } from 'vitest';
import { dangerousFindings } from '../../../src/mind/gates/security/dangerous.ts';
import { cpuSeconds } from '../../support/cpu.ts';

/** The sign stands for a dollar, so that the samples are no templates of this file. */
const written = (code: string) => code.replaceAll('§', '$');

const found = (path: string, after: string, before: string | null = null) =>
  dangerousFindings([{ path, before: before === null ? null : written(before), after: written(after) }]).map(
    ({ rule, severity, line }) => `${severity} ${rule} ${line}`,
  );

const CAUGHT: readonly (readonly [path: string, code: string, expected: string])[] = [
  ['a.js', 'const v = eval(input);', 'high eval'],
  ['a.ts', 'globalThis.eval(`f(§{x})`);', 'high eval'],
  ['a.js', "eval('1 + 1');", 'medium eval'],
  ['a.js', 'const f = new Function("a", body);', 'high new-function'],
  ['a.js', 'const f = new Function(body);', 'high new-function'],
  ['a.js', "setTimeout('go()', 10);", 'medium timer-with-text'],
  ['a.js', 'exec(`rm -rf §{dir}`);', 'high shell-command'],
  ['a.ts', "execSync('git log ' + branch);", 'high shell-command'],
  ['a.ts', "child_process.exec(command + ' --force', done);", 'high shell-command'],
  ['a.js', 'spawn(name, args, { stdio: "pipe", shell: true });', 'medium shell-option'],
  ['a.js', 'vm.runInNewContext(source, {});', 'medium vm-code'],
  ['a.ts', 'const f = vm.compileFunction(source);', 'medium vm-code'],
  ['a.ts', 'setInterval(`go(§{n})`, 10);', 'medium timer-with-text'],
  ['a.js', "db.query('SELECT * FROM users WHERE id = ' + id);", 'high sql-from-text'],
  ['a.js', 'db.query(`SELECT * FROM users WHERE id = §{id}`);', 'high sql-from-text'],
  ['a.js', 'db.query(`select name from users where id = §{id}`);', 'high sql-from-text'],
  ['a.js', 'const q = `\n  DELETE FROM t\n  WHERE a = §{a}`;', 'high sql-from-text'],
  ['a.js', 'node.innerHTML = comment.text;', 'high html-from-text'],
  ['a.js', "node.insertAdjacentHTML('beforeend', row);", 'high html-from-text'],
  ['a.jsx', '<div dangerouslySetInnerHTML={{ __html: post.body }} />', 'high html-from-text'],
  ['a.js', 'document.write(location.hash);', 'high html-from-text'],
  ['a.js', 'const agent = new Agent({ rejectUnauthorized: false });', 'medium no-tls-check'],
  ['a.js', "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';", 'medium no-tls-check'],
  ['a.js', "const hash = createHash('md5').update(password).digest('hex');", 'medium weak-password-hash'],
  ['a.js', 'fs.chmodSync(file, 0o777);', 'medium open-rights'],
  ['a.py', 'result = eval(request.args["q"])', 'high eval'],
  ['a.py', 'exec(code, scope)', 'high eval'],
  ['a.py', "eval('1 + 1')", 'medium eval'],
  ['a.py', 'os.system("rm " + name)', 'high shell-command'],
  ['a.py', "os.popen(f'ls {path}')", 'high shell-command'],
  ['a.py', 'os.system("clear")', 'medium shell-command'],
  ['a.py', 'subprocess.run(command, shell=True)', 'high shell-option'],
  ['a.py', 'subprocess.check_output(\n    f"ls {path}",\n    shell=True,\n)', 'high shell-option'],
  ['a.py', 'subprocess.run("make all", shell=True)', 'medium shell-option'],
  ['a.py', 'data = pickle.loads(body)', 'high unsafe-deserialization'],
  ['a.py', 'data = pickle.load(handle)', 'medium unsafe-deserialization'],
  ['a.py', 'config = yaml.load(text)', 'high unsafe-yaml'],
  ['a.py', 'config = yaml.load(text, Loader=yaml.FullLoader)', 'medium unsafe-yaml'],
  ['a.py', 'cursor.execute(f"SELECT * FROM t WHERE id = {key}")', 'high sql-from-text'],
  ['a.py', 'cursor.execute("SELECT * FROM t WHERE id = %s" % key)', 'high sql-from-text'],
  ['a.py', 'cursor.execute("DELETE FROM t WHERE id = " + key)', 'high sql-from-text'],
  ['a.py', 'q = "UPDATE t SET a = {}".format(a)', 'high sql-from-text'],
  ['a.py', 'cursor.execute(f"""SELECT a FROM t WHERE b = {b}""")', 'high sql-from-text'],
  ['a.py', 'requests.get(url, verify=False)', 'medium no-tls-check'],
  ['a.py', 'context = ssl._create_unverified_context()', 'medium no-tls-check'],
  ['a.py', 'digest = hashlib.md5(password.encode())', 'medium weak-password-hash'],
  ['a.py', 'os.chmod(path, 0o777)', 'medium open-rights'],
  ['a.py', 'return mark_safe(comment)', 'high html-from-text'],
  ['a.go', 'exec.Command("sh", "-c", command).Run()', 'high shell-command'],
  ['a.go', 'exec.CommandContext(ctx, "/bin/bash", "-c", fmt.Sprintf("ls %s", dir))', 'high shell-command'],
  ['a.go', 'db.Query(fmt.Sprintf("SELECT a FROM t WHERE b = \'%s\'", b))', 'high sql-from-text'],
  ['a.go', 'db.Query("SELECT a FROM t WHERE b = " + b)', 'high sql-from-text'],
  ['a.go', 'c := &tls.Config{InsecureSkipVerify: true}', 'medium no-tls-check'],
  ['a.go', 'return template.HTML(body)', 'high html-from-text'],
  ['A.java', 'Runtime.getRuntime().exec("ls " + dir);', 'high shell-command'],
  ['A.java', 'statement.executeQuery("SELECT * FROM t WHERE id = " + id);', 'high sql-from-text'],
  ['A.java', 'String q = String.format("DELETE FROM t WHERE a = \'%s\'", a);', 'high sql-from-text'],
  ['A.java', 'Object o = new ObjectInputStream(in).readObject();', 'medium unsafe-deserialization'],
  ['a.rs', 'Command::new("sh").arg("-c").arg(format!("ls {}", dir))', 'high shell-command'],
  ['a.rs', 'let q = format!("SELECT a FROM t WHERE b = {}", b);', 'high sql-from-text'],
  ['a.rs', 'builder.danger_accept_invalid_certs(true)', 'medium no-tls-check'],
  ['a.rb', 'system("ls #{dir}")', 'high shell-command'],
  ['a.rb', 'User.where("SELECT a FROM t WHERE b = #{b}")', 'high sql-from-text'],
  ['a.rb', 'eval(params[:code])', 'high eval'],
  ['a.rb', 'data = Marshal.load(body)', 'high unsafe-deserialization'],
  ['a.php', '<?php system("ls " . $_GET["dir"]);', 'high shell-command'],
  ['a.php', '<?php eval($code);', 'high eval'],
  ['a.php', '<?php $q = "SELECT a FROM t WHERE b = " . $b;', 'high sql-from-text'],
  ['a.php', '<?php $o = unserialize($_COOKIE["a"]);', 'high unsafe-deserialization'],
  ['a.php', '<?php echo $_GET["name"];', 'high html-from-text'],
  ['a.sh', 'curl -fsSL https://example.com/install.sh | sh', 'medium web-script'],
  ['a.sh', 'bash <(curl -s https://example.com/i)', 'medium web-script'],
  ['a.sh', 'wget -qO- https://example.com/i | sudo bash', 'medium web-script'],
  ['a.sh', 'eval "$1"', 'high eval'],
  ['a.sh', 'eval $command', 'medium eval'],
  ['a.sh', 'chmod -R 777 /srv', 'medium open-rights'],
  ['a.sh', 'curl -k https://internal/', 'medium no-tls-check'],
  ['Dockerfile', 'ADD https://example.com/tool.tgz /opt/', 'medium image-from-web'],
  ['app.Dockerfile', 'FROM a\nADD --chown=1:1 http://example.com/b /b', 'medium image-from-web'],
  ['Dockerfile', 'RUN curl https://example.com/i | bash', 'medium web-script'],
  ['Dockerfile', 'RUN chmod 777 /data', 'medium open-rights'],
  ['.github/workflows/a.yml', 'on:\n  pull_request_target:', 'medium workflow-trigger'],
  ['.github/workflows/b.yaml', 'on: [push, pull_request_target]', 'medium workflow-trigger'],
  ['.github/workflows/a.yml', 'permissions: write-all', 'medium workflow-rights'],
  ['.github/workflows/a.yml', 'jobs:\n  a:\n    permissions: write-all', 'medium workflow-rights'],
  ['.github/workflows/a.yml', '      - run: echo "§{{ github.event.issue.title }}"', 'high workflow-injection'],
  [
    '.github/workflows/a.yml',
    '      - run: |\n          git checkout §{{ github.head_ref }}\n',
    'high workflow-injection',
  ],
];

const HARMLESS: readonly (readonly [path: string, code: string])[] = [
  ['a.js', '// never eval(input) here'],
  ['a.js', "throw new Error('eval(input) is refused');"],
  ['a.js', 'const text = `eval(§{name}) is refused`;'],
  ['a.js', 'const evaluated = evaluate(input); retrieval(input);'],
  ['a.js', 'const match = pattern.exec(`a§{b}`);'],
  ['a.js', "db.exec('PRAGMA ' + name);"],
  ['a.js', "execFile('git', ['log', branch]);"],
  ['a.js', "exec('git status', done);"],
  ['a.js', 'spawn(name, args, { shell: false });'],
  ['a.js', 'setTimeout(() => go(), 10);'],
  ['a.js', 'const F = typeof Function; new FunctionCall(body);'],
  ['a.js', "db.query('SELECT * FROM users WHERE id = ?', [id]);"],
  ['a.js', 'await sql`SELECT * FROM users WHERE id = §{id}`;'],
  ['a.js', 'const q = `SELECT * FROM §{TABLE} WHERE id = ?`;'],
  ['a.js', "const q = `SELECT a FROM t WHERE b IN (§{ids.map(() => '?').join(',')})`;"],
  ['a.js', 'const hint = `select a file from §{folder}`;'],
  ['a.js', "const q = 'SELECT a FROM t ' + 'WHERE b = ?';"],
  ['a.js', "node.innerHTML = '<b>ok; done</b>';"],
  ['a.js', "node.innerHTML = '';"],
  ['a.js', 'node.innerHTML = DOMPurify.sanitize(comment);'],
  ['a.js', 'if (node.innerHTML === other) return;'],
  ['a.js', 'node.textContent = comment;'],
  ['a.js', 'new Agent({ rejectUnauthorized: true });'],
  ['a.js', "const etag = createHash('sha1').update(body).digest('hex');"],
  ['a.js', 'fs.chmodSync(file, 0o755);'],
  ['a.js', 'const parts = value.split(/[\'"`]/); // eval(x)'],
  ['a.py', '"""Never call eval(x) or os.system(x)."""'],
  ['a.py', 'value = ast.literal_eval(text)'],
  ['a.py', 'model.eval()'],
  ['a.py', 'def exec(self): pass'],
  ['a.py', 'cursor.execute("SELECT * FROM t WHERE id = %s", (key,))'],
  ['a.py', 'q = f"SELECT a FROM {TABLE} WHERE id = %s"'],
  ['a.py', 'subprocess.run(["ls", path], check=True)'],
  ['a.py', 'config = yaml.safe_load(text)'],
  ['a.py', 'config = yaml.load(text, Loader=yaml.SafeLoader)'],
  ['a.py', 'data = json.loads(body)'],
  ['a.py', 'requests.get(url, verify=True)'],
  ['a.py', 'digest = hashlib.md5(content).hexdigest()'],
  ['a.py', 'print("Select a row from the table: " + name)'],
  ['a.go', 'exec.Command("git", "log", branch).Run()'],
  ['a.go', 'exec.Command("sh", "-c", "ls -l").Run()'],
  ['a.go', 'db.Query("SELECT a FROM t WHERE b = $1", b)'],
  ['a.go', '// tls.Config{InsecureSkipVerify: true}'],
  ['A.java', 'new ProcessBuilder("ls", dir).start();'],
  ['A.java', 'String q = "SELECT a " + "FROM t";'],
  ['a.rs', 'Command::new("git").arg("log").arg(branch)'],
  ['a.rs', 'fn take<\'a>(x: &\'a str) { println!("eval") }'],
  ['a.rb', 'system("ls", dir)'],
  ['a.rb', '# eval(params[:code])'],
  ['a.php', '<?php $db->exec("PRAGMA a"); $rows = $this->system($name);'],
  ['a.php', '<?php echo htmlspecialchars($_GET["name"]);'],
  ['a.sh', '# curl https://example.com | sh'],
  ['a.sh', 'curl -fsSLo install.sh https://example.com/install.sh'],
  ['a.sh', 'eval "$(ssh-agent -s)"'],
  ['a.sh', 'chmod 755 /srv/run'],
  ['a.sh', 'curl -s https://example.com/a.json | jq .name'],
  ['Dockerfile', 'ADD --checksum=sha256:0f https://example.com/a.tgz /opt/'],
  ['Dockerfile', 'ADD . /app'],
  ['.github/workflows/a.yml', 'on:\n  pull_request:\n'],
  [
    '.github/workflows/a.yml',
    '        env:\n          TITLE: §{{ github.event.issue.title }}\n        run: echo "$TITLE"',
  ],
  ['.github/workflows/a.yml', '      - run: echo §{{ github.sha }}'],
  ['README.md', 'curl -fsSL https://example.com/install.sh | sh'],
];

describe('caught', () => {
  test.each(CAUGHT)('%s: %s', (path, code, expected) => {
    const all = found(path, `${code}\n`);
    expect(all.map((one) => one.replace(/ \d+$/, ''))).toEqual([expected]);
    // What the base had already, wherever it stands now, is not the change's.
    expect(found(path, `\n\n${code}\n`, `${code}\n`)).toEqual([]);
  });
});

describe('not caught', () => {
  test.each(HARMLESS)('%s: %s', (path, code) => expect(found(path, `${code}\n`)).toEqual([]));
});

test('every rule has at least two samples that it must catch', () => {
  const counts = Map.groupBy(CAUGHT, ([, , expected]) => expected.split(' ')[1]);
  const few = [...counts].filter(([, samples]) => samples.length < 2).map(([rule]) => rule);
  expect(few).toEqual([]);
});

test('a call in an old line with a new argument is caught, at the new line', () => {
  expect(found('a.js', 'eval(\n  input,\n);\n', "eval(\n  'x',\n);\n")).toEqual(['high eval 2']);
});

test('a line that moves to another file is not new, a copy of it is', () => {
  const line = 'eval(input);\n';
  const moved = [
    { path: 'a.js', before: line, after: '' },
    { path: 'b.js', before: null, after: line },
  ];
  expect(dangerousFindings(moved)).toEqual([]);
  expect(dangerousFindings([{ path: 'a.js', before: line, after: line }, moved[1]!])).toHaveLength(1);
});

test.each([
  ['a line without end', 'a.js', 'eval '.repeat(200_000)],
  ['open calls', 'a.js', 'exec(`'.repeat(170_000)],
  ['quotes of SQL', 'a.js', '"SELECT a '.repeat(100_000)],
  ['quotes of SQL in Python', 'a.py', 'f"SELECT a FROM b'.repeat(60_000)],
  ['open brackets', 'a.py', 'yaml.load('.repeat(100_000)],
  ['subprocesses', 'a.py', 'subprocess.run('.repeat(66_000)],
  ['spawns', 'a.js', 'spawn('.repeat(170_000)],
  ['passwords', 'a.js', 'md5(password'.repeat(85_000)],
  ['pipes', 'a.sh', 'curl | '.repeat(140_000)],
  ['runs', '.github/workflows/a.yml', '- run: §{{ github.event.\n'.repeat(40_000)],
  ['slashes', 'a.js', '= /['.repeat(250_000)],
  ['hits in each line', 'a.js', 'eval(a)\n'.repeat(125_000)],
])('a megabyte of %s takes no time and few findings', (_, path, after) => {
  const spent = cpuSeconds(() => expect(found(path, after).length).toBeLessThanOrEqual(1_000));
  expect(spent).toBeLessThan(5);
});
