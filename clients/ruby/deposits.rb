# Prints all deposit addresses on two networks, page by page.

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
  # By default, Faraday would send networks[]=SOLANA.
  it.params_encoder = Faraday::FlatParamsEncoder
  it.access_token = token('transfer:read_deposit_address')
end
transfer = DigitalAssets::TransferApi.new(DigitalAssets::ApiClient.new(configuration))

networks = [DigitalAssets::CryptoNetwork::SOLANA, DigitalAssets::CryptoNetwork::BASE]
position = {}
begin
  while position
    page = transfer.list_deposit_addresses({ networks: networks, limit: 1000, **position })
    page.items.each { |it| puts [it.id, it.crypto_network, it.address].join(' ') }
    cursor = page.next_page_cursor.to_s
    position = cursor.empty? ? nil : { page_cursor: cursor }
  end
rescue DigitalAssets::ApiError => e
  abort "status #{e.code}"
end
