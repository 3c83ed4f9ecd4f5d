import { voucherCodeLengthMax } from '#shared/rules/vouchers.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Field } from '#web/components/ui/field.tsx';
import { voucherWords } from './choice.ts';
import type { VoucherState } from './use-voucher.ts';

/** A code that makes the plan cheaper, or free. */
export function VoucherBox({ voucher }: { voucher: VoucherState }) {
  const { applied, canApply, isChecking } = voucher;
  if (applied) {
    return (
      <div className="voucher-taken">
        <p role="status">
          Voucher <b>{applied.code}</b>: {voucherWords(applied)}
        </p>
        <Button variant="text" size="small" onClick={voucher.remove}>
          Remove it
        </Button>
      </div>
    );
  }
  return (
    <form
      className="voucher"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        voucher.apply();
      }}
    >
      <Field label="Voucher code" hint="If somebody gave you one" error={voucher.error}>
        {(control) => (
          <input
            {...control}
            className="input"
            type="text"
            value={voucher.code}
            maxLength={voucherCodeLengthMax}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            onChange={({ currentTarget }) => voucher.type(currentTarget.value)}
          />
        )}
      </Field>
      <Button type="submit" variant="secondary" busy={isChecking} disabled={!canApply}>
        {isChecking ? 'Checking…' : 'Apply'}
      </Button>
    </form>
  );
}
