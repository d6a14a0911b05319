import { absolute, relative } from "../format/times.ts";
import { usePanel } from "../panel.ts";

/**
 * How long ago something was; its title says when. `at` as JSON has it, or in milliseconds since
 * 1970.
 */
export const Time = ({ at }: { readonly at: string | number }) => {
  const { now } = usePanel();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={absolute(date.getTime())}>
      {relative(date.getTime(), now.value)}
    </time>
  );
};
