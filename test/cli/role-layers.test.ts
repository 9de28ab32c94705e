/** Role files on disk: three layers, read when they are asked for, and never from a project's disk after it was trusted. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/app/config/environment.ts';
import { projectFiles, readProjectFiles } from '../../src/app/config/project-files.ts';
import { checkProjectRoles, FOR_NO_ROLE, loadRoles, projectRoleAsks } from '../../src/app/config/roles.ts';
import { STRICT } from '../../src/mind/prompts/packet.ts';
import { AGAIN, ANSWER_ONLY } from '../../src/mind/prompts/repair-prompt.ts';
import { knownClis } from '../../src/mind/roles/known.ts';

const CLIS = knownClis({});

class Place implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'supervisor-roles-'));
  readonly environment = readEnvironment({ HOME: join(this.dir, 'home'), SUPERVISOR_HOME: join(this.dir, 'state') });

  mine(file: string, text: string): void {
    this.#write(join('home/.supervisor/roles', file), text);
  }

  theirs(file: string, text: string): void {
    this.#write(join('project/.supervisor/roles', file), text);
  }

  get files() {
    return readProjectFiles(this.environment, join(this.dir, 'project'));
  }

  get roles() {
    return loadRoles(this.environment, this.files, CLIS);
  }

  #write(file: string, text: string): void {
    const path = join(this.dir, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

describe('the layers', () => {
  test('a project tunes a built-in role, and its children follow', () => {
    using place = new Place();
    place.mine('implementer.yaml', 'extends: implementer\nsystem_prompt_additions: Mine.\ntier: strong\n');
    place.theirs('implementer.yaml', 'extends: implementer\nsystem_prompt_additions: Theirs.\n');
    const { roles } = place;
    expect(roles.get('implementer')).toMatchObject({ tier: 'strong', base_role: 'implementer' });
    for (const name of ['implementer', 'ui_designer'])
      expect(roles.get(name).system_prompt).toMatch(/Mine\.\n\nTheirs\./);
    expect(roles.explain('implementer').chain.map((link) => link.layer)).toEqual(['project', 'user', 'built-in']);
  });

  test('a role of no layer is refused with what was meant', () => {
    using place = new Place();
    expect(() => place.roles.get('reviwer')).toThrow(
      'there is no role "reviwer", did you mean reviewer? (`supervisor roles` lists them)',
    );
  });

  test('a bad file of a person harms only those who ask for it', () => {
    using place = new Place();
    place.mine('mine.yaml', 'extends: nobody\n');
    expect(place.roles.get('implementer').name).toBe('implementer');
    expect(() => place.roles.get('mine')).toThrow(/mine\.yaml:1:10: extends: there is no role "nobody"/);
    expect(place.roles.problem('mine')).toContain('there is no role "nobody"');
    expect(place.roles.names()).toContain('mine');
  });

  test('invalid names, other endings and dangling links are reported; other files are not looked at', () => {
    const refused = (file: string, message: string) => {
      using place = new Place();
      place.mine(file, 'extends: implementer\n');
      expect(() => place.roles.names(), file).toThrow(message);
    };
    refused('Trader.yaml', 'the name of a role must be lower-case letters');
    refused('trader.yml', 'is ignored; rename it to trader.yaml');
    using place = new Place();
    place.mine('README.md', 'about');
    place.mine('.hidden.yaml', 'about');
    expect(place.roles.names()).not.toContain('README');
    symlinkSync('/nonexistent', join(place.dir, 'home/.supervisor/roles/gone.yaml'));
    expect(() => place.roles.get('gone')).toThrow('gone.yaml: there is no such file');
    using other = new Place();
    other.theirs('sub/deep.yaml', 'extends: implementer\n');
    expect(() => other.roles.names()).toThrow('put role files directly into roles/');
  });
});

describe('roles of a project', () => {
  test('are read from what was hashed, not from the disk', () => {
    using place = new Place();
    place.theirs('a.yaml', 'extends: implementer\ndescription: as trusted\n');
    const roles = place.roles;
    place.theirs('a.yaml', 'extends: implementer\ndescription: changed meanwhile\n');
    expect(roles.get('a').description).toBe('as trusted');
    expect(place.roles.get('a').description).toBe('changed meanwhile');
  });

  test('are sound, all of them, or the whole of .supervisor/ is refused', () => {
    using place = new Place();
    place.theirs('good.yaml', 'extends: implementer\n');
    const check = () => checkProjectRoles(place.environment, place.files, CLIS);
    expect(check).not.toThrow();
    place.theirs('bad.yaml', 'extends: implementer\nflags: [--yolo]\n');
    expect(check).toThrow(/bad\.yaml:2:8: flags: a project may not pass words to a CLI/);
    expect(() => checkProjectRoles(place.environment, null, CLIS)).not.toThrow();
  });

  test('of hostile size are refused before they are parsed', () => {
    using place = new Place();
    const files = projectFiles(
      join(place.dir, 'project/.supervisor'),
      new Map([['roles/a.yaml', Buffer.alloc(1 << 18, 'a')]]),
    );
    expect(() => loadRoles(place.environment, files, CLIS).get('a')).toThrow('bytes are too many');
  });

  test('are shown as they are before they are trusted: nothing can be hidden in what is left out', () => {
    using place = new Place();
    place.theirs(
      'trader.yaml',
      'extends: trader\ncli: [claude]\ngrants: [tests/]\ngates: [{name: risk, command: make risk, timeout: 90}]\nsystem_prompt_additions: |\n  One.\n  Two.\n',
    );
    place.theirs('reviewer.yaml', 'description: x\nsystem_prompt: Approve.\nkind: answer\nanswer: review\n');
    const files = place.files;
    if (files === null) throw new Error('no files');
    expect(projectRoleAsks(place.environment, files)).toEqual([
      {
        name: 'reviewer',
        text: 'description: x\nsystem_prompt: Approve.\nkind: answer\nanswer: review',
        note: 'takes the place of the role of this name',
      },
      {
        name: 'trader',
        text: 'extends: trader\ncli: [claude]\ngrants: [tests/]\ngates: [{name: risk, command: make risk, timeout: 90}]\nsystem_prompt_additions: |\n  One.\n  Two.',
        note: 'changes the role of this name',
      },
    ]);
  });

  test.each(['reviewer', 'security_auditor', 'risk_manager'])('may not take the verdict from %s', (judge) => {
    using place = new Place();
    place.theirs('mild.yaml', `extends: ${judge}\ndescription: x\nanswer: generic\n`);
    expect(() => place.roles.get('mild')).toThrow(/mild\.yaml:3:9: .*may not take the verdict/);
    // A person's own role may: it is their own judge.
    place.mine('mine.yaml', `extends: ${judge}\ndescription: x\nanswer: generic\n`);
    expect(place.roles.get('mine').answer).toBe('generic');
  });

  test("do not come above a person's role: they could choose the CLI that the person's words go to", () => {
    using place = new Place();
    place.mine('base.yaml', 'extends: implementer\ndescription: x\n');
    place.mine('mine.yaml', 'extends: base\ndescription: x\ncli: claude\nflags: [--mine]\n');
    place.theirs('base.yaml', 'extends: implementer\ndescription: y\nsystem_prompt: Theirs.\n');
    place.theirs('implementer.yaml', 'extends: implementer\ndescription: y\nsystem_prompt: Theirs.\n');
    expect(place.roles.get('mine')).toMatchObject({ flags: ['--mine'], cli: ['claude'] });
    expect(place.roles.get('mine').system_prompt).not.toContain('Theirs.');
    expect(place.roles.get('ui_designer').system_prompt).toContain('Theirs.');
  });

  test('may bring templates of their own', () => {
    using place = new Place();
    place.theirs('a.yaml', 'extends: implementer\ntemplate: own\n');
    expect(() => place.roles.get('a')).toThrow(
      /a\.yaml:2:11: template: there is no template own \(known: .*\bimplement, /,
    );
    place.theirs('../templates/own.liquid', 'x');
    expect(place.roles.get('a').template).toBe('own');
    for (const template of [...FOR_NO_ROLE, '_base']) {
      place.theirs('a.yaml', `extends: implementer\ntemplate: ${template}\n`);
      expect(() => place.roles.get('a'), template).toThrow('template: ');
    }
    expect(FOR_NO_ROLE).toEqual([AGAIN, ANSWER_ONLY, STRICT]);
  });
});

test('the example of the reference is right', () => {
  using place = new Place();
  const text = readFileSync(join(import.meta.dirname, '../../docs/reference/roles.md'), 'utf8');
  const examples = [...text.matchAll(/```yaml\n# (\S+)\/([\w-]+)\.yaml\n([\s\S]*?)```/g)];
  expect(examples.length).toBeGreaterThanOrEqual(3);
  for (const [, folder, name, yaml] of examples) {
    if (folder?.startsWith('~')) place.mine(`${name}.yaml`, yaml ?? '');
    else place.theirs(`${name}.yaml`, yaml ?? '');
  }
  for (const [, , name = ''] of examples) expect(place.roles.problem(name), name).toBe(null);
});
