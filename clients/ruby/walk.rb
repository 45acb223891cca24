# Prints all settled quote executions of a profile, page by page.

require 'json'
require 'net/http'

require 'digital_assets'

def env(name) = ENV.fetch("DIGITAL_ASSETS_#{name}")

def token(scope)
  form = { grant_type: 'client_credentials', client_id: env('CLIENT_ID'),
           client_secret: env('CLIENT_SECRET'), scope: scope }
  response = Net::HTTP.post_form(URI(env('AUTH_URL')), form)
  abort "token endpoint: status #{response.code}" unless response.code == '200'
  JSON.parse(response.body).fetch('access_token')
end

base = URI(env('BASE_URL'))
configuration = DigitalAssets::Configuration.new do |it|
  it.scheme = base.scheme
  it.host = "#{base.host}:#{base.port}"
  it.base_path = base.path
  # Use the address above instead of the servers in the OpenAPI description.
  it.server_index = nil
  it.access_token = token('exchange:read_quote_execution')
end
exchange = DigitalAssets::ExchangeApi.new(DigitalAssets::ApiClient.new(configuration))

# The limit must not be sent together with a cursor.
position = { limit: 100 }
begin
  while position
    page = exchange.list_quote_executions(
      env('PROFILE_ID'), { status: DigitalAssets::QuoteExecutionStatus::SETTLED, **position }
    )
    page.items.each do |it|
      # Amounts are strings. BigDecimal reads them exactly, but to_f doesn't.
      puts [it.id, it.market, it.price, it.base_amount, it.quote_amount].join(' ')
    end
    cursor = page.next_page_cursor.to_s
    position = cursor.empty? ? nil : { page_cursor: cursor }
  end
rescue DigitalAssets::ApiError => e
  abort "status #{e.code}"
end
