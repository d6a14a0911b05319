/**
 * Ruby code that runs before a delegate so that `net/http`, and libraries built on it such as
 * `open-uri`, work: requests go through the server's HTTP client, since WebAssembly has no sockets.
 */
export const webBoot = String.raw`
class SocketError < StandardError; end

module Vitrine
  module Web
    SOCKETS = "sockets cannot be opened: Ruby runs in WebAssembly here; net/http and open-uri work"
    CHUNK = 65_536
    # What belongs to a connection, which is not Ruby's here (RFC 9110 section 7.6.1).
    OF_CONNECTIONS = %w[host connection keep-alive proxy-connection proxy-authorization te trailer transfer-encoding upgrade content-length expect]

    @device = IO.new(IO.sysopen("/dev/vitrine/web", "r+"), "r+b")
    @device.sync = true

    class << self
      # Sends a request of Net::HTTP; answers what can be read as its response.
      def exchange(http, request, version)
        answer = ask(
          "method" => request.method,
          "url" => "#{http.use_ssl? ? "https" : "http"}://#{host_of(http)}:#{http.port}#{request.path}",
          "headers" => headers_of(request),
          "body" => encoded(body_of(request, version)),
          "seconds" => http.read_timeout,
        )
        Net::BufferedIO.new(StringIO.new(response_of(answer, request)))
      end

      private

      def ask(question)
        @device.syswrite(JSON.generate(question))
        text = String.new(encoding: "BINARY")
        loop do
          part = @device.sysread(CHUNK)
          text << part
          break if part.bytesize < CHUNK
        end
        answer = JSON.parse(text.force_encoding("UTF-8"))
        raise_as(answer["failure"], answer["message"]) if answer.key?("failure")
        answer
      end

      def raise_as(failure, message)
        case failure
        when "late" then raise Net::ReadTimeout.new(message)
        when "unreachable" then raise Errno::ECONNREFUSED, message
        else raise SocketError, message
        end
      end

      def host_of(http)
        host = http.address
        host.include?(":") && !host.start_with?("[") ? "[#{host}]" : host
      end

      def headers_of(request)
        request.to_hash.reject { |name, _| OF_CONNECTIONS.include?(name) }.transform_values { |values| values.join(", ") }
      end

      # Net::HTTP writes forms and files by itself.
      def body_of(request, version)
        return nil unless request.request_body_permitted?
        if request.body_stream
          request.body = request.body_stream.read
          request.delete("transfer-encoding")
        end
        written = StringIO.new(String.new(encoding: "BINARY"))
        request.exec(Net::BufferedIO.new(written), version, request.path)
        raise NotImplementedError, "net/http: forms with files of unknown size cannot be sent: Ruby runs in WebAssembly here" if request.chunked?
        written.string.split("\r\n\r\n", 2)[1]
      end

      def encoded(body) = body.nil? || body.empty? ? nil : [body].pack("m0")

      def response_of(answer, request)
        body = answer["body"].unpack1("m")
        headers = answer["headers"].reject { |name, _| %w[transfer-encoding connection content-length].include?(name) }
        length = request.response_body_permitted? ? [["content-length", body.bytesize.to_s]] : []
        lines = (headers + length).map { |name, value| "#{name}: #{value}\r\n" }.join
        "HTTP/1.1 #{answer["status"]} #{answer["reason"]}\r\n#{lines}\r\n".b + body
      end
    end

    # In place of what Net::HTTP does with a socket.
    module Transport
      private

      def connect = nil

      def do_finish
        raise IOError, "HTTP session not yet started" unless started?
        @started = false
      end

      def transport_request(request)
        io = Web.exchange(self, request, @curr_http_version)
        response = Net::HTTPResponse.read_new(io)
        response.body_encoding = @response_body_encoding
        response.decode_content = request.decode_content
        response.uri = request.uri
        response.reading_body(io, request.response_body_permitted?) { yield response if block_given? }
        response
      end
    end

    module Loading
      def require(name)
        super.tap { Net::HTTP.prepend(Transport) if defined?(Net::HTTP) && !Net::HTTP.include?(Transport) }
      end
    end
    Object.prepend(Loading)

    module NoSockets
      def new(*, **) = raise(NotImplementedError, "#{name}: #{SOCKETS}")
      alias open new
    end
  end
end

# What net/http names of sockets and TLS without need.
class BasicSocket < IO; end
class Socket < BasicSocket
  TCP_NODELAY = IPPROTO_TCP = 0
end
class IPSocket < BasicSocket; end
class TCPSocket < IPSocket; end
class UDPSocket < IPSocket; end
class TCPServer < TCPSocket; end
BasicSocket.singleton_class.prepend(Vitrine::Web::NoSockets)
module OpenSSL
  def self.const_missing(name) = raise(NotImplementedError, "OpenSSL::#{name}: OpenSSL is not here: Ruby runs in WebAssembly; net/http speaks https without it, and digest has hashes")
  module SSL
    VERIFY_NONE = 0
    VERIFY_PEER = 1
    class SSLError < StandardError; end
  end
end
$LOADED_FEATURES << "socket.rb" << "socket.so" << "io/wait.so" << "openssl.rb"
`;
