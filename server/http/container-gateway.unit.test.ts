import { expect, test } from 'vitest';
import { defaultRouteOf } from './container-gateway.ts';

const head = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
const row = (device: string, destination: string, gateway: string) =>
  `${device}\t${destination}\t${gateway}\t0003\t0\t0\t0\t00000000\t0\t0\t0`;

test('the gateway is the next hop of the default route', () => {
  const table = [head, row('eth0', '000011AC', '00000000'), row('eth0', '00000000', '010011AC'), ''].join('\n');
  expect(defaultRouteOf(table)).toEqual({ device: 'eth0', gateway: '172.17.0.1' });
});

test.each([
  ['no table', ''],
  ['no route', `${head}\n`],
  ['a network of its own alone', [head, row('eth0', '000011AC', '00000000')].join('\n')],
  ['a default route without a next hop', [head, row('tun0', '00000000', '00000000')].join('\n')],
  ['a line that is none', `${head}\neth0 00000000 010011AC\n`],
])('there is none with %s', (_, table) => {
  expect(defaultRouteOf(table)).toBeNull();
});
