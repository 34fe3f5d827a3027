/**
 * Runs before `npm start`, `npm test` and the other scripts, so that each works as the first command in a fresh clone.
 * Installs packages when `node_modules` does not match the lock file and builds `dist/` when a source changed; when
 * nothing did it only compares, which takes a fraction of a second. Plain JavaScript on Node's own modules: it runs
 * before anything is installed. `--no-build` installs only.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, sourceStamp, stampFile } from './stamp.mjs';

const oldestNode = [20, 19];

function stop(message) {
  process.stderr.write(`tollgate: ${message}\n`);
  process.exit(1);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  stop(`Node ${oldestNode.join('.')} or newer is needed, this is ${process.versions.node}. See https://nodejs.org.`);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Why the installed packages cannot be used as they are; undefined when they match the lock file. */
function installReason() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  if (!wanted) return stop('package-lock.json is missing or not readable');
  // npm writes this list last, so an install that was cut short leaves none.
  const found = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (!found) return 'nothing is installed yet';
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || entry.link) continue;
    // Optional packages are made for other platforms; npm leaves those out.
    if (found[path]?.version !== entry.version && !(entry.optional && found[path] === undefined)) {
      return `${path.replace('node_modules/', '')} ${entry.version} is not installed`;
    }
  }
  return undefined;
}

function run(command, args, remedy) {
  // npm is a script on Windows, which only a shell can start. Every argument is a constant of this file.
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (done.status === 0) return;
  stop(
    `"${command} ${args.join(' ')}" failed${done.error ? `: ${done.error.message}` : ''}${remedy ? `\n${remedy}` : ''}`,
  );
}

/** A machine without the network of the vendors of npm and Node is told what it takes instead. */
const bindingRemedy = [
  'The SQLite binding comes from github.com. Where that is out of reach, npm compiles it: with a C++ compiler, make,',
  "Python, and Node's headers from nodejs.org, or from the folder that npm_config_nodedir names (such as /usr).",
  // node-gyp hands paths to make, which divides them.
  ...(/\s/.test(root) ? [`The compiler does not find its way in a folder with spaces, as ${root} is.`] : []),
].join('\n');

function install() {
  const reason = installReason();
  if (reason !== undefined) {
    process.stderr.write(`tollgate: ${reason}, installing packages\n`);
    // Building needs the development packages, whatever NODE_ENV says.
    // No package runs anything of its own on this machine but SQLite, below.
    run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  }
  if (!existsSync(join(root, 'node_modules/sqlite3/build/Release/node_sqlite3.node'))) {
    process.stderr.write('tollgate: fetching the SQLite binding, or compiling it where it cannot be fetched\n');
    run('npm', ['rebuild', 'sqlite3', '--ignore-scripts=false', '--loglevel=error'], bindingRemedy);
  }
}

function build() {
  const built = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  if (built === sourceStamp()) return;
  run(process.execPath, [join(root, 'bin/build.mjs')]);
}

checkNode();
install();
if (!process.argv.includes('--no-build')) build();
