/**
 * Ruby code that runs before a delegate: receives calls and returns results, provides what JRuby
 * offers scripts beyond Ruby, and explains what cannot work in WebAssembly.
 */
export const boot = String.raw`
require "json"
require "timeout"

module Vitrine
  class Lost < StandardError; end

  MOST_OBJECTS = 4096
  CHUNK = 65_536

  @calls = IO.new(IO.sysopen("/dev/vitrine/calls", "r+"), "r+b")
  @log = IO.new(IO.sysopen("/dev/vitrine/log", "w"), "wb")
  @calls.sync = @log.sync = true
  @objects = {}

  class << self
    def log(level, message, exception = nil)
      text = message.to_s
      text += " (#{exception.class}: #{exception.message})" if exception.is_a?(Exception)
      @log.syswrite(JSON.generate([level, text.dup.force_encoding("UTF-8").scrub]))
      nil
    end

    def run
      answer = begin
        JSON.generate("value" => answered(JSON.parse(read, freeze: true)))
      rescue Exception => error
        JSON.generate("error" => told(error))
      end
      @calls.syswrite(answer)
    end

    private

    def read
      text = String.new(encoding: "BINARY")
      loop do
        part = @calls.sysread(CHUNK)
        text << part
        break if part.bytesize < CHUNK
      end
      text.force_encoding("UTF-8")
    end

    def answered(request)
      return load_script(*request["load"]) if request.key?("load")
      request["drop"].each { |id| @objects.delete(id) }
      object = object_of(request)
      method = object.method(request["method"])
      answer = if request.key?("argument") then method.call(thawed(request["argument"]))
               elsif method.arity == 0 then method.call
               else method.call({})
               end
      plain(answer, 0)
    end

    def object_of(request)
      id = request["object"]
      if request["new"]
        @objects[id] = CustomDelegate.new
        @objects.shift if @objects.size > MOST_OBJECTS
      end
      object = @objects[id] or raise Lost, "the delegate's object of this request is gone: its thread was started anew, or more than #{MOST_OBJECTS} requests have begun since"
      if request.key?("context")
        if object.respond_to?(:context=) then object.context = request["context"]
        else object.instance_variable_set(:@context, request["context"])
        end
      end
      object
    end

    def load_script(path, folders)
      before = $LOADED_FEATURES.dup
      $LOAD_PATH.unshift(*folders)
      $LOAD_PATH.concat(folders.flat_map { |folder| Dir["#{folder}/{,gems/}*/lib"].sort })
      $LOAD_PATH.reject! { |folder| folder.start_with?("/bundle/") && folder.include?("/js-") }
      $0 = path
      Kernel.load(path)
      found = Object.const_defined?(:CustomDelegate) ? CustomDelegate : nil
      {
        "kind" => found.class.name,
        "methods" => found.is_a?(Class) ? found.public_instance_methods - Object.instance_methods : [],
        "files" => ($LOADED_FEATURES - before).grep(/\.rb\z/).reject { |file| file.start_with?("/usr/local/lib/ruby/", "/bundle/", "/vitrine/") },
      }
    end

    # Arguments are the script's own to change.
    def thawed(value)
      case value
      when Hash then value.to_h { |key, one| [key.dup, thawed(one)] }
      when Array then value.map { |one| thawed(one) }
      when String then value.dup
      else value
      end
    end

    def plain(value, depth)
      raise ArgumentError, "the answer is nested too deeply" if depth > 64
      case value
      when nil, true, false, Integer, Float then value
      when String then text(value)
      when Symbol then value.name
      when Array then value.map { |one| plain(one, depth + 1) }
      when Hash then value.to_h { |key, one| [key.is_a?(String) ? text(key) : key.to_s, plain(one, depth + 1)] }
      else
        return text(value.to_path) if value.respond_to?(:to_path)
        return value.to_s if defined?(URI::Generic) && value.is_a?(URI::Generic)
        return value.to_f if value.is_a?(Numeric)
        return value.iso8601 if value.respond_to?(:iso8601)
        raise TypeError, "the answer has an object of class #{value.class}; expected nil, true, false, numbers, strings, arrays and hashes"
      end
    end

    def text(value)
      value = value.encode("UTF-8") unless value.encoding == Encoding::UTF_8 || value.encoding == Encoding::BINARY
      value = value.dup.force_encoding("UTF-8") if value.encoding == Encoding::BINARY
      raise ArgumentError, "a string in the answer is not UTF-8" unless value.valid_encoding?
      value
    end

    def told(error)
      lines = (error.backtrace || []).reject { |line| line.start_with?("eval:", "-e:", "<internal:") }
      message = begin
        error.message.to_s.dup.force_encoding("UTF-8").scrub
      rescue StandardError
        "its message cannot be read"
      end
      { "class" => error.class.name.to_s, "message" => message[0, 4000], "lines" => lines.first(20).map { |line| line.dup.force_encoding("UTF-8").scrub } }
    end
  end

  module Impossible
    programs = "programs cannot be started: Ruby runs in WebAssembly here"
    %i[system spawn fork exec popen].each { |name| define_method(name) { |*, **| raise NotImplementedError, "#{name}: #{programs}" } }
    define_method(96.chr) { |*| raise NotImplementedError, "backticks: #{programs}" }
  end
  Kernel.prepend(Impossible)
  Object.prepend(Impossible)
  [Kernel, Process, IO].each { |owner| owner.singleton_class.prepend(Impossible) }

  module NoThreads
    def new(*) = raise(NotImplementedError, "Thread: threads cannot be started: Ruby runs in WebAssembly here")
    alias start new
    alias fork new
  end
  Thread.singleton_class.prepend(NoThreads)

  module Sentences
    def require(name)
      raise LoadError, "js: Ruby cannot run JavaScript here" if name.to_s.match?(%r{\Ajs(?:\.so|\.rb|/|\z)})
      super
    rescue LoadError => error
      raise error if error.message.match?(/WebAssembly|JavaScript/)
      raise error.class, "#{error.message}. Ruby runs in WebAssembly here: its standard library is there, and gems of pure Ruby below the folders of delegate_script.ruby.paths; sockets, Java classes and gems with compiled parts cannot be loaded"
    end
  end
  Object.prepend(Sentences)

  # Names of Java packages, as in Java::edu.illinois.library.cantaloupe.delegate.Logger.
  class JavaPackage < BasicObject
    LOGGERS = %w[edu.illinois.library.cantaloupe.delegate.Logger edu.illinois.library.cantaloupe.script.Logger]
    def initialize(name) = @name = name
    def method_missing(part, *)
      name = "#{@name}.#{part}"
      return ::Vitrine::Logger if LOGGERS.include?(name)
      return JavaPackage.new(name) if part.match?(/\A[a-z]/)
      ::Kernel.raise ::NameError, "#{name}: there are no Java classes here, except Cantaloupe's Logger"
    end
    def respond_to_missing?(*) = true
  end

  class Logger
    %i[trace debug info warn error].each do |level|
      define_singleton_method(level) { |message = "", exception = nil| Vitrine.log(level.name, message, exception) }
    end
  end
end

module Java
  def self.method_missing(name, *) = Vitrine::JavaPackage.new(name.name)
  def self.respond_to_missing?(*) = true
  def self.const_missing(name)
    return JavaNames.const_get(name) if JavaNames.const_defined?(name, false)
    raise NameError, "Java::#{name}: there are no Java classes here, except Cantaloupe's Logger"
  end
  module JavaNames
    module EduIllinoisLibraryCantaloupeDelegate
      Logger = Vitrine::Logger
    end
    EduIllinoisLibraryCantaloupeScript = EduIllinoisLibraryCantaloupeDelegate
  end
end
$LOADED_FEATURES << "java.rb"

module Kernel
  def java_import(*) = raise(NameError, "java_import: there are no Java classes here; call Cantaloupe's Logger by its full name")
end

# The call as a whole has a deadline; there are no threads to watch a part of it.
def Timeout.timeout(seconds, *) = yield(seconds)

$stdout.sync = $stderr.sync = true
`;
