/** How other languages are usually tested: ideas for a person, because nothing prepares their packages. */

import { packageOf } from './package-json.ts';
import type { RepositoryFacts, SuggestedGate } from './repository-facts.ts';

type Idea = SuggestedGate & { readonly note: string };

export const otherLanguage = (found: RepositoryFacts): Idea | null => phpOf(found) ?? rubyOf(found);

function phpOf({ names, texts }: RepositoryFacts): Idea | null {
  const manifest = texts.get('composer.json');
  if (manifest === undefined) return null;
  const note = noteOf('composer install');
  if (packageOf(manifest)?.scripts['test'] !== undefined)
    return { command: 'composer test', ids: null, reason: 'composer.json has a test script', note };
  const settings = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((name) => names.has(name));
  return settings === undefined
    ? null
    : { command: 'vendor/bin/phpunit', ids: null, reason: `${settings} is there`, note };
}

function rubyOf({ names }: RepositoryFacts): Idea | null {
  if (!names.has('Gemfile')) return null;
  const note = noteOf('bundle install');
  const rspec = ['.rspec', 'spec/'].find((name) => names.has(name));
  if (rspec !== undefined) return { command: 'bundle exec rspec', ids: null, reason: `${rspec} is there`, note };
  return names.has('Rakefile') && names.has('test/')
    ? { command: 'bundle exec rake test', ids: null, reason: 'Rakefile and test/ are there', note }
    : null;
}

const noteOf = (install: string): string =>
  `nothing is suggested for \`${install}\`: if tests need it, write an \`environment:\` (docs/reference/config.md of Supervisor)`;
