/**
 * Passwords that people choose, behind names that say so: the syntax, with `@@` in place of the password, and the password
 * with a `·` in it, so that no file holds one.
 */
export type Sample = readonly [syntax: string, text: string, password: string];

/** The rules were written with these in view. */
export const KNOWN_SYNTAXES: readonly Sample[] = [
  ['.env', 'DB_HOST=db\nDB_PASS=@@\nDB_NAME=app\n', 'blue·Monday7'],
  ['.env, letters alone', 'SMTP_PASSWORD=@@\n', 'Blue·Monday'],
  ['shell export', 'export PGPASSWORD=@@\n', 'river·side42'],
  ['before a command', 'PGPASSWORD=@@ psql -h db app\n', 'river·side42'],
  ['YAML', 'database:\n  user: app\n  password: @@\n  port: 5432\n', 'Winter·2023'],
  ['YAML in quotes', 'redis:\n  password: "@@"\n', 'purple·Cow'],
  ['JSON', '{"user": "app", "password": "@@"}', 'moon·light88'],
  ['JSON in JSON', String.raw`{"env": "{\"password\": \"@@\"}"}`, 'moon·light88'],
  ['TOML', '[database]\npassword = "@@"\n', 'green·Tea4two'],
  ['INI', '[mail]\nuser = app\npassword = @@\n', 'Kitty·cat77'],
  ['properties', 'spring.datasource.password=@@\n', 'Oak·tree5'],
  ['Django settings', "'USER': 'app',\n'PASSWORD': '@@',\n", 'Tr33·house99'],
  ['Python keyword', "connect(host='db', user='app', password='@@')", 'lunch·time12'],
  ['Python environment', "os.environ['DB_PASSWORD'] = '@@'", 'Coffee·Break'],
  ['JavaScript object', "const db = { user: 'app', password: '@@' };", 'sun·flower1'],
  ['TypeScript with a type', "private readonly dbPass: string = '@@';", 'Happy·Days9'],
  ['Ruby', "ActiveRecord::Base.establish_connection(username: 'app', password: '@@')", 'ruby·Tuesday3'],
  ['PHP define', "define( 'DB_PASSWORD', '@@' );", 'Word·press22'],
  ['PHP array', "'password' => '@@',", 'lara·vel2020'],
  ['Go', 'cfg := Config{\n\tUser:     "app",\n\tPassword: "@@",\n}', 'Go·pher123'],
  ['Java', 'private static final String PASSWORD = "@@";', 'Spring·time1'],
  ['Java call', 'dataSource.setPassword("@@");', 'Hiber·nate5'],
  ['C#', 'var options = new Options { UserName = "sa", Password = "@@" };', 'Dot·Net2019'],
  ['appsettings', '"Default": "Server=db;Database=app;User Id=sa;Password=@@;Encrypt=true"', 'Monkey·22'],
  ['MySQL user', "CREATE USER 'app'@'%' IDENTIFIED BY '@@';", 'dolphin·77'],
  ['PostgreSQL role', "CREATE ROLE app WITH LOGIN ENCRYPTED PASSWORD '@@';", 'ele·Phant3'],
  ['redis.conf', 'bind 0.0.0.0\nrequirepass @@\nmaxmemory 1gb\n', 'red·Is4fun'],
  ['redis replica', 'masterauth @@\n', 'red·Is4fun'],
  ['pgpass', 'db.internal:5432:app:alice:@@\n', 'Harbour·31'],
  ['netrc', 'machine git.acme.net\nlogin alice\npassword @@\n', 'Orchid·2018'],
  ['Dockerfile ENV', 'FROM mysql:8\nENV MYSQL_ROOT_PASSWORD @@\n', 'Whale·watch8'],
  ['compose list', 'environment:\n  - POSTGRES_USER=app\n  - POSTGRES_PASSWORD=@@\n', 'Whale·watch8'],
  ['Kubernetes stringData', 'kind: Secret\nstringData:\n  admin-password: @@\n', 'helms·Man6'],
  ['Terraform', '  username             = "app"\n  password             = "@@"\n', 'Terra·cotta6'],
  ['Ansible inventory', 'web1 ansible_user=ops ansible_become_pass=@@\n', 'Red·Hat4u'],
  ['sshpass', "sshpass -p '@@' ssh ops@web1 uptime", 'Tunnel·9x'],
  ['mysql -p', 'mysqldump -u root -p@@ app > dump.sql', 'dump·Truck5'],
  ['curl -u', 'curl -sS -u alice:@@ https://api.acme.net/v1', 'picnic·2day'],
  ['XML', '<server>\n  <username>app</username>\n  <password>@@</password>\n</server>', 'Maven·3ever'],
  ['WiFi', 'network={\n  ssid="home"\n  psk="@@"\n}', 'cat·video5'],
];

/**
 * Written after the rules were fixed: 35 of these 40 were found at the first look. Four that were missed are found
 * since, among them a name in REDIS_PASSWORD and an attribute before the end of a tag. One syntax is still unknown.
 */
export const UNSEEN_SYNTAXES: readonly Sample[] = [
  [
    'Rails database.yml',
    'production:\n  adapter: mysql2\n  username: shop\n  password: @@\n  host: 10.0.0.5\n',
    'pepper·Mint3',
  ],
  ['Laravel .env', 'DB_CONNECTION=mysql\nDB_USERNAME=forge\nDB_PASSWORD=@@\n\nMAIL_HOST=smtp\n', 'forge·Ahead7'],
  ['WordPress', "/** Database password */\ndefine('DB_PASSWORD', '@@');\n", 'blog·Post2016'],
  [
    'Drupal',
    "$databases['default']['default'] = array(\n  'username' => 'drupal',\n  'password' => '@@',\n);",
    'Drop·let8',
  ],
  ['Symfony', 'DATABASE_URL="mysql://app:@@@127.0.0.1:3306/app?serverVersion=8"\n', 'sym·Phony5'],
  ['Spring YAML', 'spring:\n  datasource:\n    username: sa\n    password: @@\n', 'Bean·stalk4'],
  ['Hibernate XML', '<property name="hibernate.connection.password">@@</property>', 'winter·Sleep2'],
  ['Tomcat users', '<user username="manager" password="@@" roles="manager-gui"/>', 'cat·Nap2020'],
  [
    'Maven settings',
    '    <server>\n      <id>nexus</id>\n      <password>@@</password>\n    </server>',
    'Nexus·7deploy',
  ],
  ['web.config', '<add name="Db" connectionString="Data Source=sql1;User ID=web;Password=@@;" />', 'Azure·Sky11'],
  ['appsettings.json', '  "Smtp": {\n    "User": "mailer",\n    "Password": "@@"\n  }', 'post·Card19'],
  ['JDBC address', 'String url = "jdbc:mysql://db1/shop?user=shop&password=@@";', 'shop·Lifter3'],
  ['Oracle JDBC', 'url=jdbc:oracle:thin:scott/@@@db1:1521:xe', 'tiger·Lily9'],
  ['Go struct', 'opts := &redis.Options{Addr: "cache:6379", Password: "@@"}', 'cash·Flow88'],
  ['Node mysql', "mysql.createConnection({ host: 'db', user: 'root', password: '@@' })", 'Root·beer5'],
  ['nodemailer', "auth: {\n  user: 'me@acme.net',\n  pass: '@@'\n}", 'letter·Box6'],
  ['psycopg2', 'conn = psycopg2.connect("dbname=app user=app password=@@ host=db")', 'py·Charm77'],
  ['Flask', "app.config['MAIL_PASSWORD'] = '@@'", 'flask·Half3'],
  ['requests', "requests.get(url, auth=('alice', '@@'))", 'wonder·Land9'],
  ['paramiko', "client.connect('web1', username='ops', password='@@')", 'ship·Shape2'],
  ['Rust', 'let db_password = "@@";', 'iron·Oxide3'],
  ['Kotlin', 'val keystorePassword: String = "@@"', 'Kot·Lin1970'],
  ['Swift', 'let password = "@@"', 'Swift·let22'],
  ['Gradle signing', 'signingConfigs {\n  release {\n    storePassword "@@"\n  }\n}', 'App·store12'],
  ['PowerShell', '$pass = ConvertTo-SecureString "@@" -AsPlainText -Force', 'Power·hour5'],
  ['batch file', 'set FTP_PASSWORD=@@\r\nftp -s:cmds.txt\r\n', 'file·Drop33'],
  ['docker run', 'docker run -d -e POSTGRES_PASSWORD=@@ -p 5432:5432 postgres', 'Blue·whale9'],
  ['compose map', 'services:\n  db:\n    environment:\n      MYSQL_ROOT_PASSWORD: @@\n', 'Ship·yard44'],
  ['Kubernetes env', '        - name: REDIS_PASSWORD\n          value: @@\n', 'Pilot·fish6'],
  ['Helm values', 'postgresql:\n  auth:\n    username: app\n    postgresPassword: "@@"\n', 'Chart·room4'],
  ['Terraform variables', 'db_username = "app"\ndb_password = "@@"\n', 'Cloud·burst8'],
  ['Ansible vars', '---\nmysql_root_password: "@@"\nmysql_port: 3306\n', 'Play·book17'],
  ['GitHub workflow', '      env:\n        PGPASSWORD: @@\n        PGUSER: ci\n', 'Octo·cat2011'],
  ['my.cnf', '[client]\nuser=backup\npassword=@@\n', 'night·Owl13'],
  ['SQL grant', "GRANT ALL ON shop.* TO 'shop'@'localhost' IDENTIFIED BY '@@';", 'grant·Wood5'],
  ['PostgreSQL alter', "ALTER USER postgres WITH PASSWORD '@@';", 'post·Gress1'],
  ['MongoDB shell', 'db.createUser({ user: "app", pwd: "@@", roles: ["readWrite"] })', 'Mango·tree5'],
  ['hostapd', 'ssid=Office\nwpa=2\nwpa_passphrase=@@\n', 'guest·Wifi21'],
  ['mosquitto bridge', 'remote_username bridge\nremote_password @@\n', 'Mosqui·to99'],
  ['lftp', 'lftp -u deploy,@@ sftp://files.acme.net', 'upload·Me24'],
];

export const UNKNOWN_SYNTAXES: ReadonlySet<string> = new Set(['Oracle JDBC']);

/** The text with the password in it, and the password. */
export function written([, text, pieces]: Sample): { readonly text: string; readonly password: string } {
  const password = pieces.replace('·', '');
  return { text: text.replace('@@', () => password), password };
}
