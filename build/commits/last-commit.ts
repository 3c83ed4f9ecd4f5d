import { execFileSync } from 'node:child_process';

/**
 * Time of the last commit, in milliseconds; null outside of a repository. Checks of age compare with it in place of the
 * clock, so that a commit that passed once passes on every day.
 */
export function lastCommitMs(): number | null {
  try {
    const printed = execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8', stdio: 'pipe' });
    return Number(printed.trim()) * 1_000;
  } catch {
    return null;
  }
}
