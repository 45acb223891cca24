import digitalassets.ApiClient;
import digitalassets.ApiException;
import digitalassets.api.ExchangeApi;
import digitalassets.model.QuoteExecutionStatus;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints all settled quote executions of a profile, page by page. */
public class Walk {
  static String env(String name) {
    return System.getenv("DIGITAL_ASSETS_" + name);
  }

  static String token(String scope) throws Exception {
    var form = Map.of("grant_type", "client_credentials", "client_id", env("CLIENT_ID"),
        "client_secret", env("CLIENT_SECRET"), "scope", scope);
    var body = form.entrySet().stream()
        .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
    var request = HttpRequest.newBuilder(URI.create(env("AUTH_URL")))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw new IllegalStateException("token endpoint: status " + answer.statusCode());
    return new ObjectMapper().readTree(answer.body()).get("access_token").asText();
  }

  public static void main(String[] arguments) throws Exception {
    var token = token("exchange:read_quote_execution");
    var client = new ApiClient();
    client.updateBaseUri(env("BASE_URL"));
    client.setRequestInterceptor(it -> it.setHeader("Authorization", "Bearer " + token));
    var exchange = new ExchangeApi(client);

    String cursor = null;
    do {
      try {
        // The limit must not be sent together with a cursor.
        var page = exchange.listQuoteExecutions(env("PROFILE_ID"), null, null, QuoteExecutionStatus.SETTLED,
            null, null, cursor == null ? 100 : null, null, null, cursor);
        for (var it : page.getItems()) {
          // Amounts are strings. new BigDecimal(it.getPrice()) reads them exactly, but a double doesn't.
          System.out.println(String.join(" ", it.getId().toString(), it.getMarket().toString(),
              it.getPrice(), it.getBaseAmount(), it.getQuoteAmount()));
        }
        cursor = page.getNextPageCursor();
      } catch (ApiException error) {
        throw new IllegalStateException("status " + error.getCode(), error);
      }
    } while (cursor != null && !cursor.isEmpty());
  }
}
