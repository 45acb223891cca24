import digitalassets.ApiClient;
import digitalassets.ApiException;
import digitalassets.api.*;
import digitalassets.model.*;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.*;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Calls every operation with the Java client from openapi-generator. */
public class Main {
  static final OffsetDateTime LONG_AGO = OffsetDateTime.parse("2000-01-01T00:00:00Z");

  static String env(String name) {
    return Objects.requireNonNull(System.getenv(name), name);
  }

  static void check(boolean condition, Object message) {
    if (!condition) throw new IllegalStateException(String.valueOf(message));
  }

  static ApiClient client(String scope) throws Exception {
    var form = Map.of("grant_type", "client_credentials", "client_id", env("DIGITAL_ASSETS_CLIENT_ID"),
        "client_secret", env("DIGITAL_ASSETS_CLIENT_SECRET"), "scope", scope);
    var body = form.entrySet().stream()
        .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
    var request = HttpRequest.newBuilder(URI.create(env("DIGITAL_ASSETS_AUTH_URL")))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    check(answer.statusCode() == 200, answer.body());
    var token = Pattern.compile("\"access_token\"\\s*:\\s*\"([^\"]+)\"").matcher(answer.body());
    check(token.find(), "the response has no access token");
    var api = new ApiClient();
    api.updateBaseUri(env("DIGITAL_ASSETS_BASE_URL"));
    api.setRequestInterceptor(it -> it.setHeader("Authorization", "Bearer " + token.group(1)));
    return api;
  }

  /** Calls an operation by its name, with the examples in openapi.yaml. */
  static void call(JsonNode call) throws Exception {
    var mapper = ApiClient.createDefaultObjectMapper();
    var type = Class.forName("digitalassets.api." + call.get("tag").asText() + "Api");
    var api = type.getConstructor(ApiClient.class).newInstance(client(call.get("scope").asText()));
    var given = call.get("arguments");
    var method = Arrays.stream(type.getMethods())
        .filter(it -> it.getName().equals(call.get("operation").asText()) && it.getParameterCount() == given.size())
        .findFirst().orElseThrow();
    var arguments = new Object[given.size()];
    for (int number = 0; number < arguments.length; number++) {
      var parameter = mapper.constructType(method.getGenericParameterTypes()[number]);
      arguments[number] = mapper.convertValue(given.get(number).get("example"), parameter);
    }
    check(method.invoke(api, arguments) != null, call);
  }

  public static void main(String[] arguments) throws Exception {
    var calls = new ObjectMapper().readTree(new File("calls.json"));
    for (var call : calls) call(call);
    System.out.println("every operation with the examples in openapi.yaml: " + calls.size());

    var profile = env("DIGITAL_ASSETS_PROFILE_ID");
    var institution = UUID.fromString(env("DIGITAL_ASSETS_INSTITUTION_ID"));

    var exchange = new ExchangeApi(client("exchange:read_quote_execution"));
    var seen = new ArrayList<QuoteExecution>();
    String cursor = null;
    for (int number = 0; number < 3; number++) {
      // The limit must not be sent together with a cursor.
      var page = exchange.listQuoteExecutions(profile, Side.BUY, null, null, LONG_AGO, null,
          cursor == null ? 5 : null, Order.ASC, null, cursor);
      seen.addAll(page.getItems());
      cursor = page.getNextPageCursor();
      check(cursor != null, "page " + number + " has no next cursor");
    }
    check(seen.stream().map(QuoteExecution::getId).distinct().count() == seen.size(), "a record was returned twice");
    check(seen.stream().allMatch(it -> it.getSide() == Side.BUY), "a record doesn't match the filter");
    System.out.println("three pages of quote executions by cursor: " + seen.size() + " records");

    var rewards = new RewardsApi(client("rewards:read_monitoring_address"));
    var monitored = rewards.listMonitoringAddresses(null, CryptoNetwork.SOLANA, 10, null, null).getAddresses();
    check(!monitored.isEmpty() && monitored.stream().allMatch(it -> it.getCryptoNetwork() == CryptoNetwork.SOLANA), monitored);
    System.out.println("monitoring addresses of one network: " + monitored.size() + " records");

    var transfer = new TransferApi(client("transfer:read_deposit_address"));
    var networks = List.of(CryptoNetwork.SOLANA, CryptoNetwork.ETHEREUM);
    var deposits = transfer.listDepositAddresses(null, null, null, null, null, networks,
        null, null, null, LONG_AGO, null, 50, null, null, null).getItems();
    var found = deposits.stream().map(DepositAddress::getCryptoNetwork).collect(Collectors.toSet());
    check(found.equals(Set.copyOf(networks)), found);
    System.out.println("deposit addresses by an array of networks: " + deposits.size() + " records");

    var identity = new IdentityApi(client("identity:write_identity"));
    var member = new InstitutionMemberToAdd().identityId(institution).roles(List.of("TRUSTEE"));
    var request = new AddInstitutionMembersRequest().institutionId(institution).members(List.of(member));
    var added = identity.addInstitutionMembers(request).getMembers().get(0);
    check(added.getIdentityId().equals(institution) && added.getRoles().equals(List.of("TRUSTEE")), added);
    System.out.println("members are added: " + added.getId());

    try {
      new IdentityApi(client("rewards:read_monitoring_address")).addInstitutionMembers(request);
      check(false, "a token without the scope was accepted");
    } catch (ApiException error) {
      check(error.getCode() == 403 && !error.getResponseBody().isEmpty(), error);
      System.out.println("an error keeps its status and its body: status " + error.getCode());
    }
  }
}
