import { useState } from 'react';
import { validateVoucher } from '#shared/contract/billing.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { toast } from '#web/lib/toast.ts';
import { voucherWords } from './choice.ts';

export type Voucher = RouteResult<typeof validateVoucher>;

/** A voucher code as it is typed, and the voucher that was found for it. Looking does not use it. */
export function useVoucher() {
  const [code, setCode] = useState('');
  const [applied, setApplied] = useState<Voucher | null>(null);
  const check = useChange(validateVoucher, {
    onSuccess: (voucher) => {
      setApplied(voucher);
      setCode(voucher.code);
      toast({ title: 'Voucher Applied', description: voucherWords(voucher) });
    },
    onError: () => setApplied(null),
  });
  const typedCode = code.trim().toUpperCase();
  return {
    code,
    applied,
    error: check.error?.message,
    isChecking: check.isPending,
    canApply: typedCode !== '',
    /** True if a code was typed and nothing was said of it yet. */
    isUnread: typedCode !== '' && applied === null && check.error === null,
    type: (typed: string) => {
      setCode(typed);
      check.reset();
    },
    apply: () => {
      if (typedCode !== '' && !check.isPending) check.mutate({ body: { code: typedCode } });
    },
    remove: () => {
      setApplied(null);
      setCode('');
      check.reset();
    },
  };
}

export type VoucherState = ReturnType<typeof useVoucher>;
