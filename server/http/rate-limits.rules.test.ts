import { describe, expect, it } from 'vitest';
import { addressBucket, networkBucket, retryAfterSeconds } from './rate-limits.rules.ts';

describe('the address that a budget is for', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ])('the bucket of %s is %s', (address, bucket) => {
    expect(addressBucket(address)).toBe(bucket);
  });
});

describe('the network that a budget is for', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2ff:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:2::1', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
    ['unknown', 'unknown'],
  ])('the network of %s is %s', (address, bucket) => {
    expect(networkBucket(address)).toBe(bucket);
  });
});

describe('the time to wait', () => {
  it('the wait is whole seconds, rounded up, and never zero', () => {
    expect(retryAfterSeconds(10_001, 0)).toBe(11);
    expect(retryAfterSeconds(10_000, 10_000)).toBe(1);
    expect(retryAfterSeconds(5_000, 10_000)).toBe(1);
  });
});
