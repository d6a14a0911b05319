import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasRuby, withoutRuby } from "../../../test/ruby.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import type { DelegateContext, DelegateMethod } from "../../core/delegate.ts";
import type { LogFields, Logger } from "../../core/log.ts";
import { ScriptSession } from "../session.ts";
import { loadRuby, type RubyScript } from "./script.ts";

const lines: { level: string; message: string; fields: LogFields | undefined }[] = [];
const at = (level: string) => (message: string, fields?: LogFields) => {
  lines.push({ level, message, fields });
};
const log: Logger = {
  trace: at("trace"),
  debug: at("debug"),
  info: at("info"),
  warn: at("warn"),
  error: at("error"),
};

const loaded = async (
  files: Readonly<Record<string, string>>,
  { seconds = 20, folders = [] as readonly string[] } = {},
): Promise<RubyScript & { readonly folder: string }> => {
  const folder = await temporaryFolder(files);
  const ruby = await loadRuby(join(folder, "delegates.rb"), {
    seconds: () => seconds,
    folders: folders.map((name) => join(folder, name)),
    memory: 256 * 2 ** 20,
    log,
  });
  onTestFinished(() => ruby.close());
  return { ...ruby, folder };
};

const anything = { expected: "anything", read: (answer: unknown) => ({ answer }) };

const sessionOf = ({ script }: RubyScript, facts: Partial<DelegateContext> = {}, seconds = 20) => {
  const session = new ScriptSession({
    script,
    facts: { identifier: "a", ...facts },
    request: { id: "r", signal: new AbortController().signal },
    seconds,
  });
  return {
    session,
    call: async (method: DelegateMethod, argument?: unknown) =>
      (await session.call(method, anything, argument)).answer,
  };
};

const klass = (body: string): string => `class CustomDelegate
  attr_accessor :context
${body}
end
`;

describe.skipIf(!hasRuby)(`a delegate in Ruby${withoutRuby}`, () => {
  test("has an object for each request, which can read the context", async () => {
    const ruby = await loaded({
      "delegates.rb": klass(`
  def initialize; @calls = 0; end
  def source; (@calls += 1).to_s + context['identifier']; end
  def authorize(options = {})
    [options, context['cookies']['a'], context['client_ip'], context['scale_constraint'], context['full_size'], context.frozen?, context['identifier'].encoding.to_s]
  end
  def metadata(options = {}) = context['metadata']
  def deserialize_meta_identifier(text) = { identifier: text << '!', 'page_number' => 2 }`),
    });
    expect([...ruby.script.methods.keys()]).toEqual([
      "deserialize_meta_identifier",
      "authorize",
      "source",
      "metadata",
    ]);
    const one = sessionOf(ruby, { identifier: "é", cookies: { a: "b" } });
    const other = sessionOf(ruby);
    expect(await one.call("source")).toBe("1é");
    expect(await other.call("source")).toBe("1a");
    expect(await one.call("source")).toBe("2é");
    expect(await one.call("authorize")).toEqual([{}, "b", null, [1, 1], null, true, "UTF-8"]);
    one.session.learn({ full_size: { width: 1, height: 2 }, identifier: "n" });
    expect(await one.call("authorize")).toContainEqual({ width: 1, height: 2 });
    expect(await one.call("source")).toBe("3n");
    expect(await one.call("deserialize_meta_identifier", "x")).toEqual({
      identifier: "x!",
      page_number: 2,
    });
    one.session.learn({ metadata: { exif: new Uint8Array([1, 2]), n: 0.5 } });
    expect(await one.call("metadata")).toEqual({ exif: [1, 2], n: 0.5 });
    const long = "é".repeat(100_000);
    one.session.learn({ identifier: long });
    expect(await one.call("source")).toBe(`4${long}`);
  });

  test("reports what was raised, and where", async () => {
    const ruby = await loaded({
      "delegates.rb": klass(`
  def authorize(options = {})
    {}.fetch('nothing')
  end
  def source = Object.new
  def redactions = [Float::NAN]
  def metadata = "\\xff"
  def overlay
    a = []; a << a
  end
  def pre_authorize = exit
  def httpsource_resource_info = raise(Exception, 'odd')`),
    });
    const { call } = sessionOf(ruby);
    const failures = [
      ["authorize", /threw KeyError: key not found: "nothing" \(.*delegates\.rb:5\)/],
      ["source", /threw TypeError: the answer has an object of class Object/],
      ["redactions", /threw JSON::GeneratorError/],
      ["metadata", /not UTF-8/],
      ["overlay", /nested too deeply/],
      ["pre_authorize", /threw SystemExit: exit/],
      ["httpsource_resource_info", /threw Exception: odd/],
    ] as const;
    for (const [method, says] of failures)
      await expect(call(method), method).rejects.toMatchObject({
        failure: "internal",
        message: expect.stringMatching(says),
      });
  });

  test("rejects unsupported scripts with messages that name the problem", async () => {
    const expressions = [
      ["require 'pg'", /cannot load such file -- pg\. Ruby runs in WebAssembly here/],
      ["require 'socket'; TCPSocket.new('localhost', 80)", /TCPSocket: sockets cannot be opened/],
      ["require 'js'", /js: Ruby cannot run JavaScript here/],
      ["system('ls')", /system: programs cannot be started/],
      ["`ls`", /backticks: programs cannot be started/],
      ["Process.spawn('ls')", /spawn: programs cannot be started/],
      ["IO.popen('ls')", /popen: programs cannot be started/],
      ["fork", /fork: programs cannot be started/],
      ["Thread.new { 1 }", /Thread: threads cannot be started/],
      ["Java::java.util.Date", /java\.util\.Date: there are no Java classes here/],
      ["File.write('/x', 'a')", /Errno::/],
      ["File.write(__FILE__, 'a')", /Errno::EROFS/],
      ["File.read('/etc/passwd')", /Errno::ENOENT/],
      ["'x' * 500_000_000", /NoMemoryError/],
      ["File.read(File.join(__dir__, 'secret.properties'))", /Errno::ENOENT/],
    ] as const;
    const ruby = await loaded({
      "delegates.rb": klass(`
  def deserialize_meta_identifier(text) = eval(text, binding, __FILE__)
  def source = [ENV.to_h, Timeout.timeout(1) { 1 }, RUBY_ENGINE, Dir.children(__dir__), Dir['/*'].size]`),
      "secret.properties": "a",
    });
    for (const [expression, says] of expressions)
      await expect(
        sessionOf(ruby).call("deserialize_meta_identifier", expression),
        expression,
      ).rejects.toThrow(says);
    expect(await sessionOf(ruby).call("source")).toEqual([{}, 1, "ruby", ["delegates.rb"], 1]);
  });

  test("has its output logged, and provides Cantaloupe's Logger", async () => {
    const ruby = await loaded({
      "delegates.rb": `require 'java'
LOG = Java::edu.illinois.library.cantaloupe.delegate.Logger
${klass(`
  def source
    puts "one\ntwo"
    warn 'careful'
    LOG.error('bad', StandardError.new('why'))
    Java::EduIllinoisLibraryCantaloupeDelegate::Logger.trace('é')
    ''
  end`)}`,
    });
    lines.length = 0;
    await sessionOf(ruby).call("source");
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["info", "one"],
      ["info", "two"],
      ["warn", "careful"],
      ["error", "bad (StandardError: why)"],
      ["trace", "é"],
    ]);
  });

  test("reads only the allowed folders, and loads libraries from there", async () => {
    const ruby = await loaded(
      {
        "delegates.rb": `require_relative 'lib/rules'
require 'plain/gem'
${klass("  def source = [RULES, PLAIN, File.read(context['identifier']), Dir.children(File.dirname(context['identifier'])).sort]")}`,
        "lib/rules.rb": "RULES = 1",
        "gems/plain-1.0/lib/plain/gem.rb": "PLAIN = 2",
        "gems/data.txt": "é",
      },
      { folders: ["gems"] },
    );
    const identifier = join(ruby.folder, "gems/data.txt");
    expect(await sessionOf(ruby, { identifier }).call("source")).toEqual([
      1,
      2,
      "é",
      ["data.txt", "plain-1.0"],
    ]);
    expect(ruby.files).toEqual(
      ["delegates.rb", "lib/rules.rb", "gems/plain-1.0/lib/plain/gem.rb"].map((file) =>
        join(ruby.folder, file),
      ),
    );
  });

  test("is restarted when a call never ends or Ruby exits; only its objects are lost", async () => {
    const ruby = await loaded(
      {
        "delegates.rb": klass(`
  def source = 'a'
  def authorize
    loop {}
  end
  def pre_authorize = exit!
  def metadata
    Kernel.load '/bundle/gems/js-2.10.1/lib/js.rb'
    JS.eval('1')
  end`),
      },
      { seconds: 1 },
    );
    const before = sessionOf(ruby);
    expect(await before.call("source")).toBe("a");
    await expect(sessionOf(ruby, {}, 1).call("authorize")).rejects.toThrow("within 1 s");
    await expect(before.call("source")).rejects.toThrow(/object of this request is gone/);
    expect(await sessionOf(ruby).call("source")).toBe("a");
    await expect(sessionOf(ruby).call("pre_authorize")).rejects.toThrow("RubyFailure");
    await expect(sessionOf(ruby).call("metadata")).rejects.toThrow("cannot run JavaScript");
    expect(await sessionOf(ruby).call("source")).toBe("a");
  });

  test.each([
    ["def source = 1", /expected a class CustomDelegate, but there is none/],
    ["CustomDelegate = 1", /got an object of class Integer/],
    ["class CustomDelegate; def sauce = 1; end", /at least one of the methods/],
    ["class CustomDelegate\n  def source(\nend", /delegates\.rb:3: syntax error/],
    ["\nraise 'no rule'", /no rule \(.*delegates\.rb:2\)/],
  ])("cannot be loaded: %s", async (script, says) => {
    await expect(loaded({ "delegates.rb": script })).rejects.toThrow(says);
  });

  test("warns of misspelt method names", async () => {
    const { script } = await loaded({
      "delegates.rb": klass("  def source = 1\n  def autorize = 1\n  def preAuthorize = 1"),
    });
    expect([...script.warnings].sort()).toEqual([
      "The delegate's method autorize is never called. Is authorize meant?",
      "The delegate's method preAuthorize is never called. Is pre_authorize meant?",
    ]);
  });
});
