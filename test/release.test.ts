/** Runs once: it reads files. What is built from and published by is pinned, and may do no more than it must (S16). */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';

const release = suite('release');

interface Job {
  readonly container?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const text = read('.github/workflows/release.yml');
const workflow: { permissions: object; jobs: Record<string, Job> } = parse(text);
const jobs = Object.values(workflow.jobs);

release('takes actions by commit and images by digest, the same as the Dockerfile builds on', () => {
  const actions = jobs.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  assert.ok(actions.length > 0);
  for (const action of actions) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, name]) => name ?? '');
  const images = bases.filter((name) => name !== 'base');
  assert.is(images.length, 1);
  assert.match(images[0] ?? '', /@sha256:[0-9a-f]{64}$/);
  for (const { container } of jobs) assert.ok(container === undefined || container === images[0], container);
});

release('gives a job the rights that it names, one that runs packages none but to read, and holds no secret', () => {
  assert.equal(workflow.permissions, {});
  for (const { permissions, steps } of jobs) {
    assert.ok(permissions);
    const runsPackages = steps.some(({ run = '' }) => /\.ci\/run|npm (ci|install|test|pack)/.test(run));
    if (runsPackages) assert.equal(permissions, { contents: 'read' });
  }
  assert.not.match(text, /secrets\./);
});

release.run();
