import digitalassets.ApiClient;
import digitalassets.ApiException;
import digitalassets.api.TransferApi;
import digitalassets.model.CryptoNetwork;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints all deposit addresses on two networks, page by page. */
public class Deposits {
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
    var token = token("transfer:read_deposit_address");
    var client = new ApiClient();
    client.updateBaseUri(env("BASE_URL"));
    client.setRequestInterceptor(it -> it.setHeader("Authorization", "Bearer " + token));
    var transfer = new TransferApi(client);

    String cursor = null;
    do {
      try {
        var page = transfer.listDepositAddresses(null, null, null, null, null,
            List.of(CryptoNetwork.SOLANA, CryptoNetwork.BASE), null, null, null, null, null, 1000, null, null, cursor);
        for (var it : page.getItems()) {
          System.out.println(String.join(" ", it.getId().toString(), it.getCryptoNetwork().toString(), it.getAddress()));
        }
        cursor = page.getNextPageCursor();
      } catch (ApiException error) {
        throw new IllegalStateException("status " + error.getCode(), error);
      }
    } while (cursor != null && !cursor.isEmpty());
  }
}
