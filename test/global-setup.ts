import { execFileSync } from 'node:child_process'

/** Fetches and installs the models once, before any test that speaks with them. */
export default function setup(): void {
  execFileSync(process.execPath, ['dist/src/cli/syrinx.js', 'models', 'pull'], { stdio: 'inherit' })
}
