import { basename } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';
import { readSources, type Source } from './sources.ts';

const isTest = /^tests\/|\.(test|spec|fixture|test-world)\.tsx?$/;
const sources = readSources().filter(({ path }) => !isTest.test(path));

/** A function that fits on a screen. */
const functionLinesMax = 70;
/** An exported `createX`, which stands for a class: its methods are functions of their own. */
const factoryLinesMax = 150;

type Found = { name: string; lines: number; isFactory: boolean };
type Node = { type: string; start: number; end: number; id?: unknown; key?: unknown; name?: unknown };

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

function nameOf(node: Node | null): string | null {
  const named = node?.id ?? node?.key;
  return isNode(named) && typeof named.name === 'string' ? named.name : null;
}

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Every function of a file, those in others too, with the lines from its first to its last. */
function functionsOf({ path, text }: Source): Found[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} could not be read.`);
  const found: Found[] = [];
  const visit = (node: Node, parent: Node | null, isExported: boolean, outer: string) => {
    let name = outer;
    if (functionTypes.has(node.type)) {
      const own = nameOf(node) ?? nameOf(parent);
      const lines = text.slice(node.start, node.end).split('\n').length;
      name = own ?? `${outer} (within)`;
      found.push({ name, lines, isFactory: isExported && /^create[A-Z]/.test(name) });
    }
    // A function within another is none that is exported.
    const passesOn = ['ExportNamedDeclaration', 'VariableDeclaration', 'VariableDeclarator'].includes(node.type);
    const exportsIt = node.type === 'ExportNamedDeclaration' || (isExported && passesOn);
    for (const child of childrenOf(node)) visit(child, node, exportsIt, name);
  };
  visit(program as unknown as Node, null, false, 'file');
  return found;
}

function tooLong(files: readonly Source[]): [string, number][] {
  return files.flatMap((file) =>
    functionsOf(file)
      .filter(({ lines, isFactory }) => lines > (isFactory ? factoryLinesMax : functionLinesMax))
      // By the file alone, which may move to another folder.
      .map(({ name, lines }): [string, number] => [`${basename(file.path)} ${name}`, lines]),
  );
}

describe('functions', () => {
  test(`a function has ${functionLinesMax} lines at most, and a factory ${factoryLinesMax}`, () => {
    expect(tooLong(sources)).toEqual([]);
  });

  test('the reader sees functions, arrows and methods, and takes an exported createX alone for a factory', () => {
    const body = '  step();\n'.repeat(100);
    const planted = [
      `export function createDoor() {\n${body}}`,
      `function createRoom() {\n${body}}`,
      `export const createWall = () => {\n${body}};`,
      `export const house = {\n  async build() {\n${body}  },\n};`,
      `class House {\n  paint() {\n${body}  }\n}`,
      `export function createStreet() {\n  return { walk() {\n${body}  } };\n}`,
    ];
    const found = tooLong(planted.map((text, index) => ({ path: `a${index}.ts`, text })));
    expect(found.map(([where]) => where)).toEqual(['a1.ts createRoom', 'a3.ts build', 'a4.ts paint', 'a5.ts walk']);
  });
});
